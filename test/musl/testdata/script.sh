# What the test runs in the root, with the shell of busybox. Each line that it compares begins with a name.
echo "version: $(toolscript version)"
echo "script: $(toolscript exec 'return 6 * 7')"

cat > .toolscript.json <<'END'
{ "mcpServers": { "demo": { "command": "toolscript", "args": ["mcp-demo"] } } }
END
echo 'the work of a file' > note.txt
search='const { matches } = await tools.demo.searchText({ pattern: "work", glob: "*.txt" }); return matches[0].text.split(" ")[1]'
echo "server: $(toolscript exec --trust "$search")"

toolscript gateway start --trust -d > /dev/null
echo "gateway: $(toolscript exec 'return 6 * 7')"
echo "gateway's server: $(toolscript exec "$search")"
toolscript gateway stop
for second in 0 1 2 3 4 5 6 7 8 9; do
  ps | grep -q '[t]oolscript' || break
  sleep 1
done
ps | grep '[t]oolscript' || echo "stopped: none is left"
