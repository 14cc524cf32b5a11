#!/bin/sh
# Fetches real packages and compiles them to LLVM IR, for `parse` and for the tests that read LLVM_IR:
# one folder of .ll files for each package below the folder given.
#
#   packages.sh FOLDER [CLANG]
#
# Needs curl, cargo, clang, apt-get with deb-src lines and, for memcached, libevent-dev.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
export REAL_CC="${2:-clang}"
flags='-w -g -O0 -Xclang -disable-O0-optnone -S -emit-llvm'
mkdir -p "$out/source" && cd "$out/source"

# A compiler that also writes the IR of every file it compiles.
cat >cc <<'END'
#!/bin/sh
"$REAL_CC" "$@" || exit
case " $* " in *" -c "*) ;; *) exit 0 ;; esac
name=$(printf '%s' "$PWD $*" | cksum | cut -d' ' -f1)
skip=
for word; do
  shift
  if [ -n "$skip" ]; then skip=; continue; fi
  case "$word" in
    -o | -MF | -MT | -MQ) skip=1 ;;
    -c | -MD | -MMD | -MP | -O?) ;;
    *) set -- "$@" "$word" ;;
  esac
done
"$REAL_CC" "$@" -w -g -O0 -Xclang -disable-O0-optnone -S -emit-llvm -o "$IR/$name.ll" || exit 0
END
chmod +x cc

for package in memcached liburcu ck; do
  [ -d "$package" ] || { apt-get source --download-only "$package" && mkdir "$package" &&
    tar xf "$(ls "$package"_*.orig.tar.* | grep -v asc)" -C "$package" --strip-components=1; }
  export IR="$out/$package"
  mkdir -p "$IR"
  (cd "$package" && CC="$REAL_CC" ./configure >/dev/null &&
    case "$package" in
      ck) make -C src CC="$out/source/cc" ;;
      # Programs that do not link are of no interest here.
      *) make CC="$out/source/cc" CFLAGS='-g -O1 -w' || true ;;
    esac) >/dev/null
done
for file in ck/regressions/*/validate/*.c ck/regressions/*/benchmark/*.c; do
  # Some are meant to be included by others, or need what the makefile defines.
  "$REAL_CC" $flags -Ick/include -I"$(dirname "$file")" -D_GNU_SOURCE -DCORES=2 "$file" \
    -o "$out/ck/$(echo "$file" | tr / _).ll" 2>/dev/null || true
done

[ -d mimalloc ] || { curl -sL https://static.crates.io/crates/libmimalloc-sys/libmimalloc-sys-0.1.44.crate |
  tar xz && mv libmimalloc-sys-0.1.44 mimalloc; }
mkdir -p "$out/mimalloc"
sources=$(dirname "$(dirname "$(find mimalloc -path '*/src/alloc.c' | head -1)")")
for file in "$sources"/src/*.c "$sources"/src/prim/prim.c; do
  "$REAL_CC" $flags -I"$sources/include" "$file" -o "$out/mimalloc/$(basename "$file").ll"
done

mkdir -p clients/src
cat >clients/Cargo.toml <<'END'
[package]
name = "clients"
version = "0.1.0"
edition = "2024"

[dependencies]
arc-swap = "1"
crossbeam-deque = "0.8"
crossbeam-epoch = "0.9"
parking_lot = "0.12"
parking_lot_core = "0.9"
rtrb = "0.3"

[workspace]
END
cp "$here/clients.rs.txt" clients/src/main.rs
cd clients
RUSTFLAGS='--emit=llvm-ir,link -g -C codegen-units=1 -C opt-level=0 -C no-prepopulate-passes -C debug-assertions=off -C overflow-checks=off -C panic=abort -C symbol-mangling-version=v0' \
  CARGO_TARGET_DIR=target cargo build
mkdir -p "$out/clients"
cp target/debug/deps/*.ll "$out/clients/"
