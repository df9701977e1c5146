// node zones.mjs writes what Node makes of dates in every zone of Go's database to zones.json.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const { zone, changes } = (0, eval)(readFileSync(new URL('zones.js', import.meta.url), 'utf8'));
const root = execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim();
const names = execFileSync('python3', ['-c', 'import sys, zipfile; print("\\n".join(n for n in zipfile.ZipFile(sys.argv[1]).namelist() if not n.endswith("/")))', `${root}/lib/time/zoneinfo.zip`], { encoding: 'utf8' })
  .trim().split('\n').filter((name) => name !== 'Factory');
const around = ['Europe/Berlin', 'America/New_York', 'Pacific/Auckland', 'Australia/Sydney', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Africa/Casablanca', 'Asia/Tehran', 'Pacific/Apia', 'America/Santiago'];
const zones = {};
const hours = {};
for (const name of names.sort()) {
  process.env.TZ = name;
  zones[name] = zone();
  if (around.includes(name)) hours[name] = changes();
}
zones.Eire = zones['Europe/Dublin']; // Node 20 gives it the offset of summer in winter
writeFileSync(new URL('zones.json', import.meta.url), `${JSON.stringify({ node: process.version, tz: process.versions.tz, zones, hours }, null, 1)}\n`);
