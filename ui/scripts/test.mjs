// Runs the browser tests one after another: each has a server and a browser of its own, and machines are small.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';

const wanted = process.argv.slice(2);
const files = readdirSync('tests').filter((file) => file.endsWith('.test.mjs') && (!wanted.length || wanted.some((one) => file.includes(one))));
const done = spawnSync(process.execPath, ['--test', '--test-concurrency=1', ...files.map((file) => `tests/${file}`)], { stdio: 'inherit' });
process.exit(done.status ?? 1);
