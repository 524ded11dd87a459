
# Names from the server (`harrier complete`).
function __harrier_names
    set -l words (commandline -opc)
    set -l options
    for at in (seq 2 (math (count $words) - 1))
        contains -- $words[$at] --server --ca --token-file; and set -a options $words[$at] $words[(math $at + 1)]
    end
    $words[1] complete $argv[1] $options 2>/dev/null
end
complete -c harrier -n '__fish_seen_subcommand_from ask' -f -a '(__harrier_names flows)'
complete -c harrier -n '__fish_seen_subcommand_from incidents' -l flow -x -a '(__harrier_names flows)'
complete -c harrier -n '__fish_seen_subcommand_from incidents' -l host -x -a '(__harrier_names hosts)'
complete -c harrier -n '__fish_seen_subcommand_from incidents' -l port -x -a '(__harrier_names ports)'
