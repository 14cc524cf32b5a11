#!/usr/bin/env bash
# The packages of CAV'14, Fig. 11: docs/evaluation/packages.sh FOLDER
#
# Fetches the sources of those that are still published into FOLDER, compiles them with `fencewright cc`, and writes
# FOLDER/packages.list for `evaluate --packages`. Sources that are in FOLDER already, under the name of the package, are used as they are.
# Six are in Debian's archive, which need "deb-src" lines in the sources of apt; two are repositories of their authors; dnshistory
# and see are gone. On Debian 12 they need: libevent-dev libmagic-dev libssl-dev libpcap-dev libaio-dev libgtk-3-dev libgtk2.0-dev
# libasound2-dev libjack-dev libpulse-dev libfftw3-dev libjson-c-dev liblo-dev libsndfile1-dev dssi-dev libcap-dev autoconf autopoint gettext automake libtool
# intltool pkg-config. FENCEWRIGHT names the program, if it is not on the PATH.
set -euo pipefail
folder=${1:?a folder for the sources}
mkdir -p "$folder"
cd "$folder"
fencewright=${FENCEWRIGHT:-fencewright}
list=$PWD/packages.list
: >"$list"

# Name, version, where it is from, the program of the recording, and how it is compiled.
package() {
  local name=$1 version=$2 from=$3 program=$4 build=$5
  if [[ ! -d $name ]]; then
    case $from in
      debian)
        mkdir "$name"
        apt-get source -q --only-source --tar-only "$name=$version-*" >"$name.log" 2>&1 &&
          tar -C "$name" --strip-components=1 -xf "${name}_$version".orig.tar.*
        ;;
      *) git clone -q "$from" "$name" >"$name.log" 2>&1 ;;
    esac || { echo "$name: not fetched ($name.log)" >&2; rm -rf "$name"; return; }
  fi
  local recording=$PWD/$name/fencewright-recording
  if [[ ! -d $recording ]]; then
    (cd "$name" && CC="$fencewright cc" FENCEWRIGHT_RECORDING=$recording bash -euc "$build") >"$name.log" 2>&1 ||
      { echo "$name: not compiled ($name.log)" >&2; return; }
  fi
  echo "$name $version: $recording --program $program" >>"$list"
}

configured='./configure >/dev/null && make -j2'
package memcached 1.6.18 debian memcached "$configured memcached"
package lingot 1.1.1 debian lingot "autoreconf -fi && $configured"
package weborf 1.7 debian weborf "autoreconf -fi && $configured"
package timemachine 2021-09-28 https://github.com/swh/timemachine timemachine "sh autogen.sh && $configured"
package blktrace 1.3.0 debian blktrace 'make -j2 CC="$CC" blktrace'
package ptunnel 0.72 debian ptunnel 'make CC="$CC"'
package proxsmtpd 1.10 debian proxsmtpd "$configured"
package ghostess 2021-01-01 https://github.com/smbolton/ghostess ghostess "sh autogen.sh && $configured"
cat "$list"
