/**
 * A flame graph of a server that answers asks, 32 at once over standard input and output: where its processor time goes, by
 * function and by whose code it is. Reads a profile of V8 (`node --cpu-prof`), or makes one.
 * Run after `npm run build`: node tools/bench/flame.mjs OUT.svg [2026-07-28 | 2025-11-25 | PROFILE.cpuprofile] [side]
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [out = 'flame.svg', of = '2026-07-28', side = 'midcall'] = process.argv.slice(2);
/** Samples of the time in which the server's code is compiled are left out. */
const warmUp = 0.4;
const width = 1_200;
const row = 16;
/** Frames narrower than this many pixels are not drawn. */
const narrowest = 1.5;

const owners = [
  ['midcall', '#e4572e', url => /\/packages\/\w+\/dist\//.test(url)],
  ['the SDK', '#4c78a8', url => url.includes('@modelcontextprotocol/')],
  ['zod', '#72b7b2', url => url.includes('/node_modules/zod/')],
  ['node', '#b9b9b9', () => true],
];
/** Where this checkout is: nobody's business. */
const repository = new URL('../..', import.meta.url).href;
const ownerOf = ({ url, functionName }) =>
  functionName === '(garbage collector)' ? ['garbage', '#eeca3b'] : owners.find(([, , owns]) => owns(url));

async function profiled(era) {
  const folder = mkdtempSync(join(tmpdir(), 'midcall-flame-'));
  const server = fileURLToPath(new URL('ask-server.mjs', import.meta.url));
  const client = new Client(
    { name: 'bench', version: '1.0.0' },
    {
      capabilities: { elicitation: {} },
      versionNegotiation: { mode: era === '2026-07-28' ? { pin: era } : 'legacy' },
    },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { confirm: true } }));
  const args = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=250', server, side, 'stdio'];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
  let left = 6_000;
  const worker = async () => {
    while (left-- > 0) await client.callTool({ name: 'delete', arguments: { title: 'TPS report' } });
  };
  await Promise.all(Array.from({ length: 32 }, worker));
  await client.close();
  const profile = JSON.parse(readFileSync(join(folder, readdirSync(folder)[0]), 'utf8'));
  rmSync(folder, { recursive: true });
  return profile;
}

/** Stacks of the same functions are one frame, whatever line they were at. */
function folded({ nodes, samples, timeDeltas }) {
  const byId = new Map(nodes.map(node => [node.id, node]));
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map(child => [child, id])));
  const root = { name: 'all', frame: undefined, time: 0, children: new Map() };
  for (let at = Math.floor(samples.length * warmUp); at < samples.length; at += 1) {
    const stack = [];
    for (let id = samples[at]; id !== undefined; id = parents.get(id)) stack.unshift(byId.get(id).callFrame);
    const { functionName } = stack.at(-1);
    if (functionName === '(idle)' || functionName === '(program)') continue;
    let into = root;
    into.time += timeDeltas[at];
    for (const frame of stack.slice(1)) {
      const place = frame.url.replace(/^.*\/(?:packages|node_modules)\//, '').replace(repository, '');
      const name = `${frame.functionName || '(anonymous)'} ${place}`;
      if (!into.children.has(name)) into.children.set(name, { name, frame, time: 0, children: new Map() });
      into = into.children.get(name);
      into.time += timeDeltas[at];
    }
  }
  return root;
}

const escaped = text => text.replace(/[&<>"]/g, each => `&#${each.charCodeAt(0)};`);

function draw(root) {
  const boxes = [];
  const shares = new Map();
  let deepest = 0;
  const place = (node, x, depth, owner) => {
    const wide = (node.time / root.time) * width;
    const self = node.time - [...node.children.values()].reduce((sum, child) => sum + child.time, 0);
    // What Node does for somebody, such as sealing, is that one's.
    const own = node.frame && ownerOf(node.frame);
    const whose = own?.[0] === 'node' && owner ? owner : own;
    if (whose) shares.set(whose[0], (shares.get(whose[0]) ?? 0) + self);
    if (wide < narrowest && node.children.size === 0) return;
    if (own && wide >= narrowest) {
      deepest = Math.max(deepest, depth);
      const percent = ((node.time / root.time) * 100).toFixed(1);
      const label = wide > 40 ? escaped(node.name.split(' ')[0].slice(0, Math.floor(wide / 6.5))) : '';
      boxes.push(
        `<g><title>${escaped(node.name)}: ${percent} %</title><rect x="${x.toFixed(1)}" y="${depth * row}" width="${wide.toFixed(1)}" height="${row - 1}" fill="${own[1]}"/>` +
          `${label && `<text x="${(x + 2).toFixed(1)}" y="${depth * row + 11}">${label}</text>`}</g>`,
      );
    }
    let left = x;
    for (const child of [...node.children.values()].sort((a, b) => (a.name < b.name ? -1 : 1))) {
      place(child, left, depth + 1, own?.[0] === 'node' ? owner : own);
      left += (child.time / root.time) * width;
    }
  };
  place(root, 0, 0, undefined);
  const legend = [...shares].sort(([, a], [, b]) => b - a);
  const said = legend.map(([name, time]) => `${name} ${((time / root.time) * 100).toFixed(0)} %`).join(', ');
  const title = `${side}, ${of.endsWith('profile') ? '2026-07-28' : of}, 32 at once over stdio, ${process.version}: ${said}`;
  console.log(title);
  const height = (deepest + 2) * row;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 -20 ${width} ${height + 20}" font-family="monospace" font-size="10">
<title>${escaped(title)}</title>
<text x="2" y="-6" font-size="12">${escaped(title)}</text>
${boxes.join('\n')}
</svg>
`;
}

const profile = of.endsWith('.cpuprofile') ? JSON.parse(readFileSync(of, 'utf8')) : await profiled(of);
writeFileSync(out, draw(folded(profile)));
process.exit(0);
