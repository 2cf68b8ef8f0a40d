/**
 * What a form costs: building one per call and judging one answer, beside Zod's and Ajv's own work on the same question.
 * Rounds are interleaved, so that a noisy machine slows all alike; the figure is the median round.
 * Run: npm run build && node tools/bench/form.mjs
 */
import { performance } from 'node:perf_hooks';
import { checkContent, form, readForm } from '@midcall/core/form';
import { z } from 'zod';

const Ajv = await import('ajv/dist/2020.js').then(
  module => module.default.default ?? module.default,
  () => undefined,
);

const choices = Array.from({ length: 20 }, (_, i) => ({ const: `n${i}`, title: `Note ${i}` }));
const raw = () => ({
  type: 'object',
  properties: {
    note_id: { type: 'string', title: 'Note', oneOf: choices },
    email: { type: 'string', format: 'email' },
    pages: { type: 'integer', minimum: 1, maximum: 100 },
    confirm: { type: 'boolean', title: 'Yes, delete it' },
  },
  required: ['note_id', 'confirm'],
});
const zodSchema = () =>
  z.object({
    note_id: z.enum(choices.map(choice => choice.const)),
    email: z.email().optional(),
    pages: z.int().min(1).max(100).optional(),
    confirm: z.boolean(),
  });
const content = { note_id: 'n7', email: 'ada@example.com', pages: 3, confirm: true };

const schema = zodSchema();
const compiled = form(raw());
const library = form(schema);
const wire = JSON.parse(JSON.stringify(compiled.schema));
const ajv = Ajv && new Ajv({ formats: { email: /^[^\s@]+@[^\s@]+\.[^\s@]+$/ } });
const validate = ajv?.compile(raw());
let fresh = 0;

const cases = {
  'build: raw schema written in the handler, seen before': () => form(raw()),
  'build: raw schema never seen': () => {
    const input = raw();
    fresh += 1;
    input.properties.note_id.title = `Note ${fresh}`;
    return form(input);
  },
  'build: Zod schema kept outside the handler': () => form(schema),
  'build: Zod schema made in the handler': () => form(zodSchema()),
  'build (peer): Zod makes the schema': () => zodSchema(),
  'build (peer): Zod makes the schema and its JSON Schema': () => z.toJSONSchema(zodSchema(), { io: 'input' }),
  ...(ajv && { 'build (peer): Ajv compiles the schema': () => new Ajv({ formats: { email: true } }).compile(raw()) }),
  'check: fields only': () => checkContent(compiled.fields, content),
  'check: form (raw)': () => compiled.check(content),
  'check: form (Zod, wire rules and library)': () => library.check(content),
  'check (peer): Zod safeParse': () => schema.safeParse(content),
  'check (peer): Zod safeParse without eval': () => schema.safeParse(content, { jitless: true }),
  ...(validate && { 'check (peer): Ajv, compiled before': () => validate(content) }),
  'read: a received schema': () => readForm(wire),
};

const medians = new Map();
for (let round = 0; round < 25; round += 1) {
  for (const [name, run] of Object.entries(cases)) {
    const count = name.includes('Ajv compiles') ? 20 : name.startsWith('build') ? 400 : 2_000;
    const begin = performance.now();
    for (let i = 0; i < count; i += 1) await run();
    const each = ((performance.now() - begin) * 1_000) / count;
    medians.set(name, [...(medians.get(name) ?? []), each]);
  }
}
const median = name => medians.get(name).sort((a, b) => a - b)[Math.floor(medians.get(name).length / 2)];
for (const name of medians.keys()) {
  const micros = median(name);
  console.log(
    `${name.padEnd(56)} ${micros.toFixed(2).padStart(9)} µs  ${Math.round(1e6 / micros)
      .toLocaleString('en')
      .padStart(11)} /s`,
  );
}
const ratio = (ours, peer) => {
  if (medians.has(peer)) console.log(`${ours}  :  ${peer}  =  ${(median(ours) / median(peer)).toFixed(2)} of its time`);
};
console.log();
ratio('build: Zod schema made in the handler', 'build (peer): Zod makes the schema');
ratio('build: Zod schema made in the handler', 'build (peer): Zod makes the schema and its JSON Schema');
ratio('build: raw schema never seen', 'build (peer): Ajv compiles the schema');
ratio('build: raw schema written in the handler, seen before', 'build (peer): Ajv compiles the schema');
ratio('check: form (raw)', 'check (peer): Zod safeParse');
ratio('check: form (raw)', 'check (peer): Zod safeParse without eval');
ratio('check: form (raw)', 'check (peer): Ajv, compiled before');
ratio('check: form (Zod, wire rules and library)', 'check (peer): Zod safeParse');
