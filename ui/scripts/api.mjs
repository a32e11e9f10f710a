// Makes src/api/schema.ts from openapi.json: the server's types, and which paths can be asked by which method.
// `--check` only says whether it is up to date. Own code, because the usual generators bring a hundred packages for it.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';

const FROM = 'openapi.json';
const TO = 'src/api/schema.ts';

/** A JSON schema as a TypeScript type. */
export function type(schema, depth = 0) {
  if (schema === undefined || schema === true) return 'unknown';
  if (schema === false) return 'never';
  if (schema.$ref) return named(schema.$ref.split('/').pop());
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((one) => JSON.stringify(one)));
  const several = schema.oneOf ?? schema.anyOf;
  if (several) return union(several.map((one) => type(one, depth)));
  if (schema.allOf) return schema.allOf.map((one) => type(one, depth)).map((one) => (one.includes('|') ? `(${one})` : one)).join(' & ');
  if (Array.isArray(schema.type)) return union(schema.type.map((one) => type({ ...schema, type: one }, depth)));
  const known = { string: 'string', integer: 'number', number: 'number', boolean: 'boolean', null: 'null' }[schema.type];
  if (known) return schema.nullable ? `${known} | null` : known;
  if (schema.type === 'array') {
    const item = schema.prefixItems ? `[${schema.prefixItems.map((one) => type(one, depth)).join(', ')}]` : type(schema.items, depth);
    return schema.prefixItems ? item : /[|&]/.test(item) ? `(${item})[]` : `${item}[]`;
  }
  if (schema.properties) {
    const required = new Set(schema.required ?? []);
    const pad = '  '.repeat(depth + 1);
    const lines = Object.entries(schema.properties).map(([name, one]) => {
      const said = one.description ? `${pad}/** ${one.description.replace(/\*\//g, '* /').replace(/\s+/g, ' ').trim()} */\n` : '';
      return `${said}${pad}${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${required.has(name) ? '' : '?'}: ${type(one, depth + 1)};`;
    });
    return `{\n${lines.join('\n')}\n${'  '.repeat(depth)}}`;
  }
  if (schema.additionalProperties !== undefined && schema.additionalProperties !== false) return `Record<string, ${type(schema.additionalProperties, depth)}>`;
  return schema.type === 'object' ? 'Record<string, unknown>' : 'unknown';
}

const union = (types) => [...new Set(types)].join(' | ') || 'never';
const named = (name) => name.replace(/\W+/g, '_');

export function made(description) {
  const parts = [`// Made by \`npm run api\` from openapi.json; change the server, not this file.\n`];
  for (const [name, schema] of Object.entries(description.components?.schemas ?? {})) {
    if (schema.description) parts.push(`/** ${schema.description.replace(/\*\//g, '* /').replace(/\s+/g, ' ').trim()} */`);
    parts.push(`export type ${named(name)} = ${type(schema)};\n`);
  }
  const methods = {};
  for (const [path, ways] of Object.entries(description.paths ?? {})) {
    for (const method of ['get', 'post', 'put', 'patch', 'delete']) {
      if (!ways[method]) continue;
      (methods[method.toUpperCase()] ??= []).push(path.replace(/^\/api\/v1(?=\/)/, '').replace(/\{[^}]+\}/g, '${string}'));
    }
  }
  parts.push('/** The paths of each method; a part in braces is any text. */\nexport interface Paths {');
  for (const [method, paths] of Object.entries(methods)) parts.push(`  ${method}:\n${[...new Set(paths)].sort().map((path) => `    | \`${path}\``).join('\n')};`);
  parts.push('}\n');
  return parts.join('\n');
}

if (process.argv[1]?.endsWith('scripts/api.mjs')) {
  if (!existsSync(FROM)) {
    // The program's own tests say so; here nothing can be compared.
    console.log(`${FROM} is missing: \`gannet reference --api > ui/${FROM}\` makes it.`);
    process.exit(process.argv.includes('--check') ? 0 : 1);
  }
  const fresh = made(JSON.parse(readFileSync(FROM, 'utf8')));
  if (!process.argv.includes('--check')) writeFileSync(TO, fresh);
  else if (!existsSync(TO) || readFileSync(TO, 'utf8') !== fresh) {
    console.error(`${TO} is older than ${FROM}: run \`npm run api\`.`);
    process.exit(1);
  }
}
