@echo off
rem launcher of the toolscript plugin
rem
rem Runs the toolscript program on Windows, as the file toolscript does elsewhere: %TOOLSCRIPT_BIN%, else
rem the first toolscript.exe in PATH, else that in the data folder of the plugin.
rem It has no labels: cmd.exe does not always find them in a file without carriage returns.

setlocal DisableDelayedExpansion
set "program="
set "folders="
if defined PATH set "folders=%PATH:"=%"
if defined TOOLSCRIPT_BIN set "program=%TOOLSCRIPT_BIN%"

rem A folder relative to the project could bring a program of its own, so only whole paths count.
rem npm i -g puts a batch file for node there, which starts slower than the program.
set "npm=node_modules\toolscript\node_modules\@toolscript"
if not defined program if defined folders for %%D in ("%folders:;=" "%") do if /i "%%~fD"=="%%~D" for %%F in ("%%~D\toolscript.exe" "%%~D\%npm%\win32-x64\bin\toolscript.exe" "%%~D\%npm%\win32-arm64\bin\toolscript.exe") do if not defined program if exist "%%~F" set "program=%%~F"
if not defined program if defined CLAUDE_PLUGIN_DATA if exist "%CLAUDE_PLUGIN_DATA%\bin\toolscript.exe" set "program=%CLAUDE_PLUGIN_DATA%\bin\toolscript.exe"

set "missing=the toolscript program is not installed; https://github.com/toolscript/toolscript says how, or name it in TOOLSCRIPT_BIN"
if not defined program if "%~1 %~2"=="hook session-start" echo {"systemMessage":"toolscript: %missing%"}
rem session-start has said it
if not defined program if "%~1"=="hook" exit /b 0
if not defined program echo toolscript: %missing%>&2
if not defined program exit /b 127

rem The last command gives the exit code.
endlocal & "%program%" %*
