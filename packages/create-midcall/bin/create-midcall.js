#!/usr/bin/env node
/** Copies the template into a new folder. It asks one question, the folder's name, and installs nothing. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || major === 21 || (major === 20 && minor < 19) || (major === 22 && minor < 12)) {
  fail(`Node 22.12 or newer is needed, or Node 20 from 20.19 on; this is ${process.versions.node}.`);
}

const template = fileURLToPath(new URL('../template', import.meta.url));
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

async function ask() {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // At the end of the input there is no answer.
  const ended = new Promise(resolve => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question('Name of the new folder: '), ended]);
  terminal.close();
  return answer.trim();
}

function fail(message) {
  process.stderr.write(`create-midcall: ${message}\n`);
  process.exit(2);
}

if (['-h', '--help'].includes(process.argv[2])) {
  process.stdout.write(
    'npm create midcall [FOLDER]\nMakes a new project in FOLDER: a server that asks, a host, and tests.\n',
  );
  process.exit(0);
}
const place = process.argv[2] ?? (await ask());
if (place === '') fail('Name the folder of the project: npm create midcall tables');
const folder = resolve(place);
const name = basename(folder);
if (!/^[a-z0-9][a-z0-9._-]{0,99}$/.test(name))
  fail(`The folder's name becomes the project's: lower-case letters, digits, dots and dashes. Got '${name}'.`);
if (existsSync(folder) && readdirSync(folder).length > 0) fail(`${folder} is not empty.`);

cpSync(template, folder, { recursive: true });
const manifest = join(folder, 'package.json');
writeFileSync(manifest, readFileSync(manifest, 'utf8').replaceAll('{name}', name).replaceAll('{version}', version));
process.stdout.write(`Made ${folder}. Next: cd ${place} && npm install && npm test\n`);
