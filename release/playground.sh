#!/usr/bin/env bash
# The playground: release/playground.sh [PAGE]
#
# Compiles the engine to WebAssembly and writes one page with everything in it, target/playground/index.html unless
# another file is named. `--engine` only compiles, and prints where the engine is.
#
# Rust's standard library for WebAssembly comes from rustup (`rustup target add wasm32-unknown-unknown`). Where rustup
# has none, it is compiled from the sources in Debian's packages rustc-web and rust-web-src. Exit code 77: neither is
# installed.
set -euo pipefail
cd "$(dirname "$0")/.."

target=wasm32-unknown-unknown
built=target/wasm
with=()
# Recursive descents need more stack than the linker's mebibyte.
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-C link-arg=-zstack-size=4194304"
libraries=$(rustc --print target-libdir --target "$target" 2>/dev/null || true)
if ! compgen -G "$libraries/libstd-*.rlib" >/dev/null; then
  oldest=$(sed -n 's/^rust-version = "\(.*\)"$/\1/p' Cargo.toml)
  debian=/usr/bin/rustc
  installed=$("$debian" --version 2>/dev/null | cut -d' ' -f2 || true)
  sources=/usr/lib/rustlib/src/rust/library/std
  if [[ -z $installed || ! -d $sources ]] || ! printf '%s\n' "$oldest" "$installed" | sort -CV; then
    echo "the playground needs Rust's standard library for WebAssembly: rustup target add $target," \
      "or Debian's packages rustc-web and rust-web-src, version $oldest or newer" >&2
    exit 77
  fi
  host=$(rustc --print host-tuple)
  linker=$(rustc --print sysroot)/lib/rustlib/$host/bin/rust-lld
  [[ -x $linker ]] || linker=lld
  export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$linker
  export RUSTC=$debian RUSTC_BOOTSTRAP=1
  with=(-Zbuild-std=std,panic_abort)
fi
cargo build --quiet --locked -p fencewright-playground --lib --profile playground --target "$target" \
  --target-dir "$built" "${with[@]}" >&2
unset RUSTC RUSTC_BOOTSTRAP
engine=$built/$target/playground/playground.wasm
if [[ ${1:-} == --engine ]]; then
  echo "$engine"
  exit
fi
page=${1:-target/playground/index.html}
cargo run --quiet --locked -p fencewright-playground --example page -- "$engine" "$page"
echo "$page: $(du -h "$page" | cut -f1)"
