#!/usr/bin/env bash
# A Debian package of a release build: release/deb.sh [FOLDER [ARCHITECTURE]]
#
# The folder has the programs `fencewright` and `cargo-fencewright`; by default target/release. The package becomes
# target/release-files/fencewright_VERSION_ARCHITECTURE.deb, with the manual, completions, documents and licences. The manual and
# the completions are those of the folder, as release/build.sh puts them there, or else what the program writes. What the package
# depends on is what its programs are linked with, as `dpkg-shlibdeps` says; static programs depend on nothing. The
# fields are those of `package.metadata.deb` in crates/cli/Cargo.toml, from which `cargo deb` makes the same package
# without the manual and the completions.
set -euo pipefail
cd "$(dirname "$0")/.."

for tool in dpkg-deb dpkg-shlibdeps gzip; do
  command -v "$tool" >/dev/null || { echo "$tool is missing; apt-get install dpkg-dev gzip" >&2; exit 1; }
done
programs=${1:-target/release}
for program in fencewright cargo-fencewright; do
  [[ -x $programs/$program ]] || { echo "$programs/$program is missing; cargo build --release -p fencewright" >&2; exit 1; }
done
version=$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)
field() { sed -n "s/^$1 = \"\(.*\)\"$/\1/p" crates/cli/Cargo.toml | head -n 1; }
architecture=${2:-$(dpkg --print-architecture)}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/fencewright
share=$root/usr/share
install -D -m 755 -t "$root/usr/bin" "$programs/fencewright" "$programs/cargo-fencewright"
install -D -m 644 -t "$share/doc/fencewright" README.md LICENSE-MIT LICENSE-APACHE
install -D -m 644 -t "$share/doc/fencewright/docs" docs/*.md
gzip -9n <CHANGELOG.md >"$share/doc/fencewright/changelog.gz"
{
  echo "Copyright: $(field copyright)"
  echo "License: MIT or Apache-2.0, as in LICENSE-MIT and LICENSE-APACHE in this folder"
} >"$share/doc/fencewright/copyright"

mkdir -p "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/vendor-completions" "$share/fish/vendor_completions.d"
if [[ -d $programs/man ]]; then
  cp "$programs"/man/* "$share/man/man1"
  completions() { cat "$programs/completions/fencewright.$1"; }
else
  "$programs/fencewright" man "$share/man/man1" >/dev/null
  completions() { "$programs/fencewright" completions "$1"; }
fi
gzip -9n "$share/man/man1"/*
completions bash >"$share/bash-completion/completions/fencewright"
completions zsh >"$share/zsh/vendor-completions/_fencewright"
completions fish >"$share/fish/vendor_completions.d/fencewright.fish"
# The parts of the package have the permissions of a package, whatever those of the files here.
find "$root" -type d -exec chmod 755 {} +
find "$share" -type f -exec chmod 644 {} +

# `dpkg-shlibdeps` wants a source package around it.
mkdir -p "$work/debian"
printf 'Source: fencewright\n\nPackage: fencewright\nArchitecture: any\n' >"$work/debian/control"
depends=$(cd "$work" && dpkg-shlibdeps -O --ignore-missing-info fencewright/usr/bin/* 2>/dev/null | sed -n 's/^shlibs:Depends=//p')

mkdir "$root/DEBIAN"
{
  echo "Package: fencewright"
  echo "Version: $version"
  echo "Architecture: $architecture"
  echo "Maintainer: $(field maintainer)"
  echo "Section: $(field section)"
  echo "Priority: $(field priority)"
  echo "Installed-Size: $(du -sk --exclude=DEBIAN "$root" | cut -f 1)"
  [[ -z $depends ]] || echo "Depends: $depends"
  echo "Recommends: $(field recommends)"
  echo "Suggests: $(field suggests)"
  echo "Description: $(sed -n 's/^description = "\(.*\)"$/\1/p' crates/cli/Cargo.toml | head -n 1)"
  sed -n '/^extended-description/,/"""$/p' crates/cli/Cargo.toml | sed '1d; s/"""$//; s/ *\\$//; s/^/ /'
} >"$root/DEBIAN/control"
chmod 755 "$root/DEBIAN"

mkdir -p target/release-files
file=target/release-files/fencewright_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$file" >/dev/null
echo "$file"
