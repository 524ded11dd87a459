
# Names from the server (`harrier complete`), otherwise the completion above.
_harrier_with_names() {
    local line=${COMP_LINE:0:COMP_POINT} kind= options=() i
    local words
    read -ra words <<<"$line"
    [[ $line == *[[:space:]] ]] && words+=("")
    local last=$((${#words[@]} - 1))
    local word=${words[last]}
    case "${words[1]},${words[last - 1]}" in
        ask,--server | ask,--ca | ask,--token-file) ;;
        ask,*) [[ $last -ge 2 && $word != -* ]] && kind=flows ;;
        incidents,--flow) kind=flows ;;
        incidents,--host) kind=hosts ;;
        incidents,--port) kind=ports ;;
    esac
    if [[ -z $kind ]]; then
        _harrier "$@"
        return
    fi
    # Without names there are none: no files instead.
    compopt +o default +o bashdefault 2>/dev/null
    for ((i = 2; i + 1 < last; i++)); do
        case "${words[i]}" in
            --server | --ca | --token-file) options+=("${words[i]}" "${words[i + 1]}") ;;
        esac
    done
    local quote= name
    case "$word" in \'* | \"*) quote=${word:0:1} word=${word:1} ;; esac
    # Bash completes what follows the last `:` or `>` of a word without quotes.
    local typed=${word//\\/} done_part=
    [[ -z $quote ]] && done_part=${typed%"${typed##*[:>]}"}
    COMPREPLY=()
    while IFS= read -r name; do
        [[ $name == "$typed"* ]] || continue
        if [[ -n $quote ]]; then
            COMPREPLY+=("$name")
        elif [[ -z $typed && $name == *\>* ]]; then
            COMPREPLY+=("'$name'")
        else
            name=${name#"$done_part"}
            COMPREPLY+=("${name//>/\\>}")
        fi
    done < <("$1" complete "$kind" "${options[@]}" 2>/dev/null)
}
complete -F _harrier_with_names -o bashdefault -o default harrier
