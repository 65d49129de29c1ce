# Prints what zsh offers for each line: zsh -f offered.zsh SCRIPT LINE...
zmodload zsh/zpty
script=$1
shift
zpty shell zsh -f -i
zpty -w shell "PS1=; autoload -Uz compinit; compinit -D -u; source $script"
# Offers are printed instead of shown.
zpty -w shell 'compadd() {
  local -a hits
  local hit
  if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
  builtin compadd -A hits "$@"
  for hit in $hits; do print -r -- "<<$hit>>"; done
}'
zpty -w shell 'offer() { _main_complete; compstate[insert]= compstate[list]=; print -r -- "<<end>>"; }'
zpty -w shell "zle -C offer complete-word offer; bindkey '^I' offer; print all''set"
zpty -r shell out '*allset*'
for line in "$@"; do
  zpty -w -n shell "$line"$'\t'
  zpty -r shell out '*<<end>>*'
  typeset -U offered=()
  for word in ${(f)out}; do [[ $word =~ '<<(.*)>>' && $match[1] != end ]] && offered+=$match[1]; done
  print -r -- "$offered"
  zpty -w -n shell $'\C-u'
done
zpty -d shell
