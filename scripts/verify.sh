#!/usr/bin/env bash
# Tests the agent as a plugin in a dry run, through the runner and its policy. It
# changes nothing of yours, and needs neither a desktop nor a session bus.
# Usage: scripts/verify.sh [FOLDER]
# FOLDER contains utter, utter-agent and utter-runner; without it they are built.
# Each check is a line: ok, FAIL, or not yet. The exit status is 1 if one failed.
set -euo pipefail

if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
	sed -n '2,6s/^# //p' "${BASH_SOURCE[0]}" >&2
	exit 2
fi
for program in utter utter-agent utter-runner; do
	if [ $# = 1 ] && ! [ -x "$1/$program" ]; then
		[ -d "$1" ] && missing="no program $program in $1" || missing="no folder $1"
		printf 'verify.sh: there is %s; without a FOLDER the programs are built\n' "$missing" >&2
		exit 2
	fi
done
dir=$(mktemp -d "${TMPDIR:-/tmp}/utter-verify.XXXXXX") # home and runtime folder of all that is started here
runner=
clean() {
	if [ -n "$runner" ] && kill "$runner" 2>/dev/null; then
		wait "$runner" || true
	fi
	rm -rf "$dir"
}
trap clean EXIT
if [ $# = 1 ]; then
	bin=$(cd "$1" && pwd -P)
else
	bin=$dir/bin
	(cd "$(dirname "${BASH_SOURCE[0]}")/.." && go build -o "$bin/" ./agent/cmd/utter ./agent/cmd/utter-agent ./agent/cmd/utter-runner)
fi

status=0
ok() { printf '%-8s %s\n' ok "$1"; }
fail() { # WHAT WHAT-WAS-SEEN
	printf '%-8s %s\n' FAIL "$1"
	printf '%s\n' "$2" | sed 's/^/         /'
	status=1
}
is() { # WHAT SEEN PATTERN
	case $2 in
	$3) ok "$1" ;;
	*) fail "$1" "$2" ;;
	esac
}
own=(env -i PATH="$PATH" HOME="$dir" XDG_RUNTIME_DIR="$dir")
utter() { "${own[@]}" "$bin/utter" runner --config "$dir/config.toml" "$@" 2>&1 || true; }

# say runs an utterance on an empty desktop.
say() { utter call runner.command "{\"utterance\":\"$1\",\"context\":{\"focused\":null,\"windows\":[]},\"timeout_ms\":60000}"; }
# terminal requests a command, on behalf of the user or of text on the screen.
terminal() { utter call runner.invoke "{\"plugin\":\"utter-agent\",\"method\":\"action.invoke\",\"params\":{\"op\":\"terminal\",\"args\":{\"command\":\"date\"},\"provenance\":\"$1\"}}"; }
# running counts the processes that this script has started.
running() { { grep -lsz "^HOME=$dir\$" /proc/[0-9]*/environ || true; } | wc -l; }

cat >"$dir/config.toml" <<END
[security]
enforce = false # what a sandbox keeps out is another check, and not every machine has one

[[plugin]]
id = "utter-agent"
kind = "bundle"
entrypoint = ["$bin/utter-agent", "--plugin", "--dry-run"]
provides = [
	"router.plan@1", "action.open_url@1", "action.ensure_url@1", "action.launch_app@1", "action.ensure_app@1",
	"action.focus_app@1", "action.close_app@1", "action.search@1", "action.key@1", "action.type_text@1",
	"action.terminal@1", "action.niri@1", "action.media@1", "action.click_point@1", "action.scroll@1",
	"action.wait@1", "action.speak@1", "action.done@1",
]
END
"${own[@]}" "$bin/utter-runner" --config "$dir/config.toml" --log-level ERROR &
runner=$!

# The socket is there at once, the plugin a moment later.
for ((tenths = 0; tenths < 600; tenths++)); do
	plugins=$(utter status)
	case $plugins in
	*"utter-agent"*" ok"* | *"utter-agent"*" degraded"* | *"utter-agent"*" error"*) break ;;
	esac
	kill -0 "$runner" 2>/dev/null || break
	sleep 0.1
done

is '"open youtube" is ensure_url for YouTube' "$(say 'open youtube')" '{"results":\[{"op":"ensure_url","ok":true,"detail":"dry run: ensure_url *youtube.com*"}\]}'
is '"tile right" is move-column-right' "$(say 'tile right')" '{"results":\[{"op":"niri","ok":true,"detail":"dry run: niri *command=move-column-right"*}\]}'

# No rule matches this one. The last line that the plugin logged is its answer.
said=$(say 'pull up youtube')
log=$(utter log utter-agent | tail -n 1)
case $said$log in
'{"results":[]}'*'the decision head does not exist yet') printf '%-8s %s\n' 'not yet' '"pull up youtube" is for the decision head, which does not exist yet' ;;
'{"results":[{"op":'*'"ok":true'*'planned source=head'*) ok '"pull up youtube" is planned by the decision head' ;;
*) fail '"pull up youtube" is planned by the decision head' "$said"$'\n'"$log" ;;
esac

is 'terminal from the screen is -32006' "$(terminal screen)" '*(-32006)'
is 'terminal of the user is -32003, it is disabled' "$(terminal user)" '*is disabled*(-32003)'

before=$(running)
kill "$runner" && wait "$runner" || fail 'the runner ends' "status $?"
runner=
after=$(running)
is 'nothing is left running' "$([ "$before" -ge 2 ] && echo both ran), $after left" 'both ran, 0 left'
if [ "$status" != 0 ]; then
	printf '\nThe plugins were:\n%s\n' "$plugins"
fi
exit "$status"
