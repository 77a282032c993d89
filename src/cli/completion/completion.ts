import { Argument, type Command } from "commander";
import { print } from "../output/print.ts";
import type { RunCommand } from "../program/run-cli.ts";
import type { Shell } from "../program/shell.ts";

const shells = ["bash", "zsh", "fish"] as const;

export function defineCompletion(command: Command, _: RunCommand, { stdout }: Shell): void {
  command
    .addArgument(new Argument(`<${shells.join("|")}>`, "shell").choices(shells))
    .action((name: (typeof shells)[number]) => {
      print(stdout, completionScripts[name].trimEnd());
    });
}

/**
 * The completion scripts. Each calls `qvs __complete` for every Tab, so an installed script never
 * becomes outdated.
 */
export const completionScripts = {
  bash: `# eval "$(qvs completion bash)" in ~/.bashrc
_qvs() {
  local line="\${COMP_LINE:0:COMP_POINT}" words lines each prefix
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  local current="\${words[\${#words[@]} - 1]}"
  COMPREPLY=()
  mapfile -t lines < <(qvs __complete -- "\${words[@]:1}" 2>/dev/null)
  if [[ \${lines[0]} == :files ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "\${current#--*=}")
    return
  fi
  # bash splits words at these characters and keeps the text before them.
  prefix="\${current%"\${current##*[:=]}"}"
  for each in "\${lines[@]}"; do
    each="\${each%%$'\\t'*}"
    COMPREPLY+=("\${each#"$prefix"}")
  done
}
complete -F _qvs qvs
`,
  zsh: `#compdef qvs
# source <(qvs completion zsh) in ~/.zshrc, after compinit
_qvs() {
  local -a lines candidates
  local each
  lines=("\${(@f)$(qvs __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ $lines[1] == :files ]]; then
    [[ $PREFIX == --*=* ]] && compset -P '--*='
    _files
    return
  fi
  for each in $lines; do
    [[ -n $each ]] && candidates+=("\${\${each%%$'\\t'*}//:/\\\\:}:\${each#*$'\\t'}")
  done
  _describe qvs candidates
}
compdef _qvs qvs
`,
  fish: `# qvs completion fish > ~/.config/fish/completions/qvs.fish
function __qvs_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l lines (qvs __complete -- $words[2..-1] "$current" 2>/dev/null)
    if test "$lines[1]" = :files
        __fish_complete_path "$current"
    else
        printf '%s\\n' $lines
    end
end
complete -c qvs -f -a '(__qvs_complete)'
`,
} as const;
