# Names from the server (`harrier complete`), otherwise the completion above.
_harrier() {
    local kind= options=() at
    case "$words[2],$words[CURRENT-1]" in
        ask,--server | ask,--ca | ask,--token-file) ;;
        ask,*) [[ $CURRENT -ge 3 && $words[CURRENT] != -* ]] && kind=flows ;;
        incidents,--flow) kind=flows ;;
        incidents,--host) kind=hosts ;;
        incidents,--port) kind=ports ;;
    esac
    if [[ -z $kind ]]; then
        _harrier_options "$@"
        return
    fi
    for ((at = 3; at < CURRENT - 1; at++)); do
        case "$words[at]" in
            --server | --ca | --token-file) options+=("${(Q)words[at]}" "${(Q)words[at + 1]}") ;;
        esac
    done
    local names=("${(@f)$("${(Q)words[1]}" complete $kind "${options[@]}" 2>/dev/null)}")
    # Without names there are none: no files instead.
    [[ -n $names ]] && compadd -- "${names[@]}"
}
