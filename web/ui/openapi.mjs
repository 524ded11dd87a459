// Writes src/data/openapi.ts: the types of the REST answers, from the server's OpenAPI document.
//
//   node openapi.mjs FILE.json [--check]
//
// FILE.json is the output of `harrier openapi`. With --check nothing is written; exit status 1: the types differ.
// `scripts/ui-types.sh` calls this.

import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const OUT = new URL('src/data/openapi.ts', import.meta.url);
const [file, flag] = process.argv.slice(2);
if (!file || (flag && flag !== '--check')) {
  console.error('usage: node openapi.mjs FILE.json [--check]');
  process.exit(2);
}

/** Keeps the schemas: descriptions are in the document, and `api.ts` has the paths. */
function bare(value) {
  if (Array.isArray(value)) return value.map(bare);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([key, part]) => {
    const isText = typeof part === 'string' && (key === 'description' || key === 'format');
    return !isText && key !== 'example' && key !== 'examples';
  });
  return Object.fromEntries(entries.map(([key, part]) => [key, bare(part)]));
}

const document = JSON.parse(readFileSync(file, 'utf8'));
const schemas = { openapi: document.openapi, info: document.info, paths: {}, components: { schemas: document.components.schemas } };
const types = astToString(await openapiTS(bare(schemas)));
const text = `// Generated from the OpenAPI document by \`scripts/ui-types.sh\`. Do not change this file.\n\n${types}`;
if (flag !== '--check') writeFileSync(OUT, text);
else if (readFileSync(OUT, 'utf8') !== text) {
  console.error('web/ui/src/data/openapi.ts differs from the OpenAPI document: run scripts/ui-types.sh and commit the file');
  process.exit(1);
}
