//! How much memory a search can have without anybody being stopped for it, and how much the process has.
//!
//! On Linux the kernel tells what the machine can give (`MemAvailable`), and control groups what
//! this process may still take: in version 1 and 2 alike the limit minus the use, plus the cache of
//! files in it that would be dropped first, for the group and every one around it. The least counts.

use std::fs::read_to_string;
use std::path::Path;

/// Bytes that the machine and all control groups around this process have left, if that can be
/// told.
pub fn available_memory() -> Option<usize> {
    available_under(Path::new("/"))
}

/// Bytes of memory that this process has written and not given back, in the machine's memory or on
/// disk, if that can be told: the heap, stacks and maps, but not the program itself.
pub fn memory_in_use() -> Option<usize> {
    in_use(&read_to_string("/proc/self/status").ok()?)
}

fn in_use(status: &str) -> Option<usize> {
    let kilobytes = |word| number_after(status, word);
    let elsewhere = kilobytes("RssShmem:").unwrap_or(0) + kilobytes("VmSwap:").unwrap_or(0);
    (kilobytes("RssAnon:")? + elsewhere).checked_mul(1024)
}

/// Bytes of addresses that this process may still ask for, if that is limited (`ulimit -v`).
pub fn available_addresses() -> Option<usize> {
    let limits = read_to_string("/proc/self/limits").ok()?;
    let most = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most = most.split_ascii_whitespace().next()?.parse::<usize>().ok()?;
    let status = read_to_string("/proc/self/status").ok()?;
    Some(most.saturating_sub(number_after(&status, "VmSize:")?.checked_mul(1024)?))
}

/// What the files below a root directory tell.
fn available_under(root: &Path) -> Option<usize> {
    let machine = read_to_string(root.join("proc/meminfo")).ok().and_then(|text| {
        let kilobytes = number_after(&text, "MemAvailable:")?;
        kilobytes.checked_mul(1024)
    });
    let groups = read_to_string(root.join("proc/self/cgroup")).unwrap_or_default();
    let left_by_groups = groups.lines().filter_map(|line| left_by_group(root, line));
    machine.into_iter().chain(left_by_groups).min()
}

/// What the groups leave that a line `number:controllers:/path` names.
fn left_by_group(root: &Path, line: &str) -> Option<usize> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?);
    if controllers.is_empty() {
        let top = root.join("sys/fs/cgroup");
        let names = Names { limit: "memory.max", used: "memory.current", cache: "inactive_file" };
        left_up_to(&top, path, &names)
    } else if controllers.split(',').any(|controller| controller == "memory") {
        let top = root.join("sys/fs/cgroup/memory");
        let names = Names {
            limit: "memory.limit_in_bytes",
            used: "memory.usage_in_bytes",
            cache: "total_inactive_file",
        };
        left_up_to(&top, path, &names)
    } else {
        None
    }
}

/// What the files of a version are called.
struct Names {
    limit: &'static str,
    used: &'static str,
    cache: &'static str,
}

/// The least that is left by a group and those around it. In a container the path may be that
/// outside: what is not there is passed over, up to the top, which is the container's own group.
fn left_up_to(top: &Path, path: &str, names: &Names) -> Option<usize> {
    let group = Path::new(path.trim_start_matches('/'));
    group.ancestors().filter_map(|group| left(&top.join(group), names)).min()
}

fn left(group: &Path, names: &Names) -> Option<usize> {
    let number = |name: &str| read_to_string(group.join(name)).ok()?.trim().parse::<usize>().ok();
    // A group without a limit says "max", or a number larger than any memory.
    let (limit, used) = (number(names.limit)?, number(names.used)?);
    let statistics = read_to_string(group.join("memory.stat")).unwrap_or_default();
    let cache = number_after(&statistics, names.cache).unwrap_or(0);
    Some(limit.saturating_sub(used.saturating_sub(cache)))
}

/// The number behind the first word of a line.
fn number_after(text: &str, word: &str) -> Option<usize> {
    let words = text.lines().map(str::split_ascii_whitespace);
    words
        .filter_map(|mut words| (words.next()? == word).then(|| words.next())?)
        .find_map(|number| number.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The memory available on a machine with these files.
    fn check(name: &str, files: &[(&str, &str)], expected: Option<usize>) {
        let root = std::env::temp_dir().join(format!("fencewright-{}-{name}", std::process::id()));
        for (path, text) in files {
            let path = root.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let found = available_under(&root);
        if !files.is_empty() {
            std::fs::remove_dir_all(root).unwrap();
        }
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn what_a_process_has_is_what_it_has_written() {
        let status = "Name:\tx\nVmSize:\t 9000 kB\nVmRSS:\t 700 kB\nRssAnon:\t 200 kB\n\
            RssFile:\t 400 kB\nRssShmem:\t 100 kB\nVmSwap:\t 7 kB\n";
        assert_eq!(in_use(status), Some(307 * 1024));
        assert_eq!(in_use("Name:\tx\n"), None);
        let Some(before) = memory_in_use() else { return };
        let written = vec![1_u8; 64 << 20];
        let now = memory_in_use().expect("it could be told before");
        assert!(now >= before + (32 << 20), "{before} bytes, then {now}");
        drop(written);
    }

    #[test]
    fn the_least_that_is_left_counts() {
        const INFO: (&str, &str) =
            ("proc/meminfo", "MemTotal: 99 kB\nMemAvailable:    5000 kB\nCached: 1 kB\n");
        check("nothing", &[], None);
        check("machine", &[INFO], Some(5_120_000));
        let two = ("proc/self/cgroup", "0::/a/b\n");
        let limited = ("sys/fs/cgroup/a/memory.max", "1000000\n");
        let used = ("sys/fs/cgroup/a/memory.current", "600000\n");
        let unlimited = ("sys/fs/cgroup/a/b/memory.max", "max\n");
        let used_below = ("sys/fs/cgroup/a/b/memory.current", "1000\n");
        let cache = ("sys/fs/cgroup/a/memory.stat", "anon 7\ninactive_file 50000\n");
        check("two", &[INFO, two, limited, used, unlimited, used_below], Some(400_000));
        check("cache", &[INFO, two, limited, used, cache], Some(450_000));
        check("no use", &[INFO, two, limited], Some(5_120_000));
        // In a container: the path is not to be seen, the top is the group itself.
        let one = ("proc/self/cgroup", "4:cpu,memory:/docker/x\n3:cpu:/\n0::/\n");
        let limited = ("sys/fs/cgroup/memory/memory.limit_in_bytes", "2000\n");
        let used = ("sys/fs/cgroup/memory/memory.usage_in_bytes", "3000\n");
        check("one", &[INFO, one, limited, used], Some(0));
        let huge = ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
        check("no limit", &[INFO, one, huge, used], Some(5_120_000));
    }
}
