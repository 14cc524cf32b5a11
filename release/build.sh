#!/usr/bin/env bash
# Static binaries: release/build.sh [TARGET…]
#
# Without targets, those for Linux on x86-64 and on AArch64. Each becomes target/release-files/fencewright-VERSION-TARGET.tar.gz
# with both programs, the manual, completions and the licences. A target whose tools are not installed is named with
# what is missing, and makes the script fail at the end; `--check` only looks.
set -euo pipefail
cd "$(dirname "$0")/.."

check_only=
if [[ ${1:-} == --check ]]; then
  check_only=1
  shift
fi
targets=("$@")
((${#targets[@]})) || targets=(x86_64-unknown-linux-musl aarch64-unknown-linux-musl)
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
failed=()

lacks() { # lacks TARGET WHAT ADVICE
  echo "$1: $2 is missing; $3" >&2
  failed+=("$1")
}

# The C compiler for the parsers of C and Rust (tree-sitter is written in C), and the linker. Rust's own musl is linked
# in, so the linker needs no C library; the compiler needs musl's headers.
prepare() { # prepare TARGET: sets CC and the linker, or says what is missing
  local target=$1 upper
  upper=$(tr 'a-z-' 'A-Z_' <<<"$target")
  local lower=${target//-/_}
  if ! rustc --print target-libdir --target "$target" 2>/dev/null | xargs -r test -d; then
    lacks "$target" "the standard library of Rust" "rustup target add $target"
    return 1
  fi
  case $target in
    x86_64-unknown-linux-musl)
      if ! command -v musl-gcc >/dev/null; then
        lacks "$target" musl-gcc "apt-get install musl-tools"
        return 1
      fi
      export "CC_$lower=musl-gcc"
      ;;
    aarch64-unknown-linux-musl)
      if command -v aarch64-linux-musl-gcc >/dev/null; then
        export "CC_$lower=aarch64-linux-musl-gcc" "CARGO_TARGET_${upper}_LINKER=aarch64-linux-musl-gcc"
      elif command -v clang >/dev/null && command -v ld.lld >/dev/null && [[ -d /usr/include/x86_64-linux-musl ]]; then
        # Headers of musl differ between architectures in sizes that tree-sitter does not ask for.
        export "CC_$lower=clang" "AR_$lower=ar"
        export "CFLAGS_$lower=--target=aarch64-linux-musl -nostdlibinc -isystem /usr/include/x86_64-linux-musl"
        # A crate asks for libdl, which is part of musl's C library.
        local empty=$PWD/target/release-files/empty
        mkdir -p "$empty"
        ar crs "$empty/libdl.a"
        export "CARGO_TARGET_${upper}_LINKER=rust-lld" "CARGO_TARGET_${upper}_RUSTFLAGS=-Lnative=$empty"
      else
        lacks "$target" "a C compiler" "install a cross compiler (aarch64-linux-musl-gcc), or clang, lld and musl-tools"
        return 1
      fi
      ;;
    aarch64-unknown-linux-gnu)
      if ! command -v aarch64-linux-gnu-gcc >/dev/null; then
        lacks "$target" aarch64-linux-gnu-gcc "apt-get install gcc-aarch64-linux-gnu"
        return 1
      fi
      export "CC_$lower=aarch64-linux-gnu-gcc" "CARGO_TARGET_${upper}_LINKER=aarch64-linux-gnu-gcc"
      ;;
    *)
      # The machine at hand, or a target that Cargo is configured for.
      ;;
  esac
}

# Manual pages and completions are the same for all targets; a program that runs here writes them.
extras() { # extras FOLDER
  local program=${FENCEWRIGHT:-target/release/fencewright}
  [[ -x $program ]] || cargo build --release --locked -p fencewright
  mkdir -p "$1/man" "$1/completions"
  "$program" man "$1/man" >/dev/null
  for shell in bash zsh fish; do
    "$program" completions "$shell" >"$1/completions/fencewright.$shell"
  done
}

for target in "${targets[@]}"; do
  prepare "$target" || continue
  if [[ -n $check_only ]]; then
    echo "$target: all tools are installed"
    continue
  fi
  cargo build --release --locked -p fencewright --target "$target"
  name=fencewright-$version-$target
  folder=target/release-files/$name
  rm -rf "$folder"
  mkdir -p "$folder"
  cp "target/$target/release/fencewright" "target/$target/release/cargo-fencewright" "$folder"
  cp README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$folder"
  extras "$folder"
  tar -C target/release-files -czf "target/release-files/$name.tar.gz" "$name"
  (cd target/release-files && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
  echo "$target: target/release-files/$name.tar.gz"
done

if ((${#failed[@]})); then
  echo "not built: ${failed[*]}" >&2
  exit 1
fi
