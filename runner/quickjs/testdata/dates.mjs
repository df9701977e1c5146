// node dates.mjs writes to dates.json what Node makes of each text in it, in New York: a time, or null.
import { readFileSync, writeFileSync } from 'node:fs';

process.env.TZ = 'America/New_York';
const file = new URL('dates.json', import.meta.url);
const dates = JSON.parse(readFileSync(file, 'utf8'));
for (const text of Object.keys(dates)) dates[text] = new Date(text).toJSON();
writeFileSync(file, `${JSON.stringify(dates, null, 1)}\n`);
