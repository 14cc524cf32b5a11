#!/usr/bin/env bash
# Everything that publishing would do, and nothing published: packs every crate in the order of its dependencies,
# compiles each from what was packed and not from this folder, asks the registry whether it would take it, and looks at
# licences and known vulnerabilities. Needs the network; the test `release` does the packing without it.
set -euo pipefail
cd "$(dirname "$0")/.."

cargo publish --workspace --locked --dry-run "$@"
if command -v cargo-deny >/dev/null; then
  cargo deny check
else
  echo "cargo-deny is missing: cargo install --locked cargo-deny" >&2
  exit 1
fi
