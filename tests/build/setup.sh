#!/usr/bin/env bash
# setup.sh SOURCE BUILD: tools/setup, with an apt-get and an id that only pretend. Nothing is installed here.
set -euo pipefail
setup=$1/tools/setup
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "$*" >&2; sed 's/^/  | /' "$scratch/out" >&2; exit 1; }

# An apt-get that writes down what it was asked, and installs nothing; a user whose number is in a file.
mkdir "$scratch/bare" "$scratch/pretend"
printf '#!%s\necho "$*" >> "%s/calls"\n' "$BASH" "$scratch" > "$scratch/pretend/apt-get"
printf '#!%s\necho "$(<"%s/user")"\n' "$BASH" "$scratch" > "$scratch/pretend/id"
chmod +x "$scratch"/pretend/*
for tool in bash env mktemp rm; do ln -s "$(command -v $tool)" "$scratch/bare/$tool"; done
run() { "$BASH" "$setup" "$@" > "$scratch/out" 2>&1 < /dev/null; }
unset CC

# All that `make test` needs is there, since this is a part of it: nothing is said and nothing done.
echo 0 > "$scratch/user"
PATH=$scratch/pretend:$PATH run build test || fail "fails though nothing is missing"
[ ! -s "$scratch/out" ] && [ ! -e "$scratch/calls" ] || fail "says or does something though nothing is missing"

# Nothing is there, and no rights: the exact line, and no attempt.
echo 1000 > "$scratch/user"
if PATH=$scratch/pretend:$scratch/bare run build; then fail "succeeds though everything is missing"; fi
grep -qE '^  apt-get update && apt-get install -y --no-install-recommends --no-remove .*\bcmake gcc' "$scratch/out" ||
    fail "does not print the line to run"
if grep -q clang "$scratch/out"; then fail "asks for things of another group"; fi
[ ! -e "$scratch/calls" ] || fail "calls apt-get without rights"

# As root: one install that removes nothing, and a failure if that did not help.
echo 0 > "$scratch/user"
if PATH=$scratch/pretend:$scratch/bare run build; then fail "succeeds though everything is still missing"; fi
grep -E '\binstall\b' "$scratch/calls" | grep -v -e '--simulate' > "$scratch/installs"
[ "$(wc -l < "$scratch/installs")" = 1 ] || fail "installs $(wc -l < "$scratch/installs") times"
grep -q -e '-y --no-install-recommends --no-remove' "$scratch/installs" || fail "installs otherwise than it should"
if grep -qE '\b(remove|purge|autoremove|upgrade|dist-upgrade)\b' <(sed 's/--no-remove//' "$scratch/calls"); then fail "does more than install"; fi

# No apt-get at all: names what is missing.
if PATH=$scratch/bare run build; then fail "succeeds without apt-get"; fi
grep -q apt-get "$scratch/out" && grep -q cmake "$scratch/out" || fail "does not say what is missing without apt-get"

if run nonsense; then fail "takes a group that does not exist"; fi
echo fine
