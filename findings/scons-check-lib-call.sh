#!/bin/sh
# SCons 4.9.0 gave `CheckLibWithHeader` a new argument in the middle, so that a call that is given by position is taken for a library.
#
# Versions: scons 4.8.1, 4.9.0 and 4.11.1 (PyPI), Python 3.11, a C++ compiler with zlib.
#
# The signature was (context, libs, header, language, call, …) up to 4.8.1, and is (context, libs, header, language, extra_libs,
# call, …) since 4.9.0. A script that passes the call in fifth place, as many do, among them those of gem5 up to v24.0.0.1, asks the
# linker for a library of that name then: the command line gets `-lzlibVersion();`, of which a shell takes the parentheses as its own
# syntax. The check answers *no*, though the library is there:
#
#   CheckLibWithHeader("z", "zlib.h", "C++", "zlibVersion();")       4.8.1: yes   4.9.0 and 4.11.1: no
#   CheckLibWithHeader("z", "zlib.h", "C++", call="zlibVersion();")  yes with all three
#
# One would expect a new argument at the end, or an error that names it; what one sees is "Did not find needed zlib", and
# the reason is in config.log alone.
#
# Exits with 0 if the behaviour is still this, and with 1 if it has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/SConstruct" <<'SCONS'
conf = Configure(Environment())
print("by position:", conf.CheckLibWithHeader("z", "zlib.h", "C++", "zlibVersion();", autoadd=False))
print("by name:", conf.CheckLibWithHeader("z", "zlib.h", "C++", call="zlibVersion();", autoadd=False))
conf.Finish()
SCONS
changed=0
for pair in 4.8.1=True 4.9.0=False 4.11.1=False; do
    version=${pair%=*}
    expected=${pair#*=}
    python3 -m venv "$folder/venv-$version"
    "$folder/venv-$version/bin/pip" install --quiet "scons==$version"
    rm -rf "$folder/.sconf_temp" "$folder/.sconsign.dblite" "$folder/config.log"
    answers=$(cd "$folder" && "venv-$version/bin/scons" -Q | grep '^by ')
    echo "scons $version: $(echo "$answers" | tr '\n' ' ')"
    if [ "$answers" != "by position: $expected
by name: True" ]; then
        changed=1
    fi
    case $expected in
        False) grep -q 'Syntax error' "$folder/config.log" || changed=1 ;;
    esac
done
exit $changed
