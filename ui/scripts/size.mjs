// What a first visit loads: the entry, what it imports at once, and its styles, gzipped. Fails above the budget.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const BUDGET = 150_000;
const dist = new URL('../dist/', import.meta.url).pathname;
const gzip = (file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;

const html = readFileSync(join(dist, 'index.html'), 'utf8');
const first = new Set([...html.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map((found) => found[1]));
for (const file of first) {
  if (!file.endsWith('.js')) continue;
  for (const found of readFileSync(join(dist, file), 'utf8').matchAll(/(?:import|from)\s*"\.\/([^"]+\.js)"/g)) first.add(`assets/${found[1]}`);
}
// Home is what a first visit opens.
for (const file of readdirSync(join(dist, 'assets'))) if (/^Home-.*\.(js|css)$/.test(file)) first.add(`assets/${file}`);

let sum = gzip('index.html');
for (const file of first) {
  const size = gzip(file);
  sum += size;
  console.log(`${String(size).padStart(8)}  ${file}`);
}
console.log(`first load: ${sum} of ${BUDGET} bytes, gzipped`);
if (sum > BUDGET) {
  console.error('The first load is over its budget: load a page or a library later, or do without it.');
  process.exit(1);
}
