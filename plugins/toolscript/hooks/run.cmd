:; set hook "$1"; . "$CLAUDE_PLUGIN_ROOT/bin/toolscript"; exit # cmd.exe takes this line for a label; sh reads no other line
@rem Runs a hook. Claude Code runs the commands of hooks.json in sh or, on Windows, in Git Bash or PowerShell. PowerShell
@rem runs this file with the name of the hook behind it. The shells read it as a script, for which sh takes only the
@rem arguments that set has set.
@"%~dp0..\bin\toolscript.cmd" hook %*
