// Compresses what was built, once, so that the server need not: x.js.br and x.js.gz beside x.js, where that saves something.
import { readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const dist = new URL('../dist/', import.meta.url).pathname;

for (const name of readdirSync(dist, { recursive: true })) {
  const file = join(dist, name);
  if (!/\.(js|css|html|svg|json|txt)$/.test(name) || !statSync(file).isFile()) continue;
  const bytes = readFileSync(file);
  const packed = {
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    gz: gzipSync(bytes, { level: 9 }),
  };
  for (const [ending, smaller] of Object.entries(packed)) if (smaller.length < bytes.length * 0.95) writeFileSync(`${file}.${ending}`, smaller);
}
