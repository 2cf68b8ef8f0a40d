import { type AskedField, checkContent, type Field } from '@midcall/core/form';
import { describe, expect, it } from 'vitest';
import { html } from '../../packages/core/src/page/html.ts';
import { commandWords } from '../../packages/host/src/servers/command-words.ts';
import { argumentFields } from '../../packages/host/src/web/form/argument-form.ts';
import { contentOf, draftFrom, draftOf, toZoned, untouched } from '../../packages/host/src/web/form/draft.ts';
import { fieldControl } from '../../packages/host/src/web/form/field-controls.ts';

describe('markup', () => {
  it('markup escapes every value in every place', () => {
    expect(html`<a title="${'"><script>'}">${["<b>'", 1, null, false]}</a>`.text).toBe(
      '<a title="&quot;&gt;&lt;script&gt;">&lt;b&gt;&#39;1</a>',
    );
  });
});

describe('time in a zone', () => {
  const when: Field = { kind: 'text', name: 'when', format: 'date-time', required: true };
  const sent = (local: string, zone: string) =>
    contentOf(
      [when],
      draftOf([
        ['f0', local],
        ['f0.zone', zone],
      ]),
    ).content['when'];

  it('a time carries the offset that its zone has on that day', () => {
    expect(sent('2026-01-15T09:30', 'Europe/Berlin')).toBe('2026-01-15T09:30:00+01:00');
    expect(sent('2026-07-15T09:30:05', 'Europe/Berlin')).toBe('2026-07-15T09:30:05+02:00');
    expect(sent('2026-07-15T09:30', 'Asia/Kolkata')).toBe('2026-07-15T09:30:00+05:30');
    expect(sent('2026-07-15T09:30', 'UTC')).toBe('2026-07-15T09:30:00Z');
  });

  it('a time in a zone gives back the moment it was given', () => {
    for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'UTC']) {
      for (const month of ['01', '04', '07', '10']) {
        const at = `2026-${month}-15T12:34:56Z`;
        expect(Date.parse(String(sent(toZoned(at, zone)!, zone)))).toBe(Date.parse(at));
      }
    }
  });

  it('no time, an hour that was skipped, and what has no zone are left as typed, to be found wrong', () => {
    for (const [local, zone] of [
      ['tomorrow', 'UTC'],
      ['2026-03-29T02:30', 'Europe/Berlin'],
      ['2026-01-15T09:30', 'Nowhere/Land'],
    ] as const) {
      expect(sent(local, zone)).toBe(local);
      expect(checkContent([when], { when: sent(local, zone) }).ok).toBe(false);
    }
    expect(toZoned('tomorrow', 'UTC')).toBeUndefined();
    expect(toZoned('2026-01-15T09:30:00Z', 'Nowhere/Land')).toBeUndefined();
  });

  it('a web address and a day are read as a terminal reads them', () => {
    const fields: Field[] = [
      { kind: 'text', name: 'site', format: 'uri', required: true },
      { kind: 'text', name: 'day', format: 'date', required: true },
    ];
    const { content } = contentOf(
      fields,
      draftOf([
        ['f0', ' https://bücher.example/ '],
        ['f1', ' 2026-07-01 '],
      ]),
    );
    expect(content).toEqual({ site: 'https://xn--bcher-kva.example/', day: '2026-07-01' });
  });
});

describe('arguments of a tool', () => {
  const fields = argumentFields({
    type: 'object',
    required: ['title', 'deep'],
    properties: {
      limit: { type: 'integer', minimum: 1, maximum: 10, default: 5 },
      title: { type: 'string', minLength: 1 },
      mode: { enum: ['a', 'b'] },
      maybe: { type: ['string', 'null'] },
      tags: { type: 'array', items: { type: 'string', enum: ['x', 'y'] } },
      deep: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
      ['__proto__']: { type: 'string' },
      constructor: { type: 'boolean' },
    },
  });

  it('arguments get a control where a property fits one, and JSON where it does not; required ones first', () => {
    expect(fields.map(field => [field.name, field.kind])).toEqual([
      ['title', 'text'],
      ['deep', 'json'],
      ['limit', 'number'],
      ['mode', 'select'],
      ['maybe', 'text'],
      ['tags', 'multi-select'],
      ['either', 'json'],
      ['__proto__', 'text'],
      ['constructor', 'boolean'],
    ]);
  });

  it('arguments become content with nothing that was left empty', () => {
    const draft = draftOf([
      ['f0', 'TPS report'],
      ['f1', '{"n": 1}'],
      ['f2', ''],
      ['f3', '1'],
      ['f5', '0'],
      ['f5', '1'],
      ['f7', 'own'],
    ]);
    const { content, issues } = contentOf(fields, draft);
    expect(issues).toEqual([]);
    expect(JSON.stringify(content)).toBe(
      '{"title":"TPS report","deep":{"n":1},"mode":"b","tags":["x","y"],"__proto__":"own"}',
    );
    expect(Object.getPrototypeOf(content)).toBe(Object.prototype);
  });

  it('an error says which argument is no JSON', () => {
    const { issues } = contentOf(fields, draftOf([['f1', '{"n":']]));
    expect(issues[0]).toMatchObject({ field: 'deep', rule: 'json' });
  });

  it('arguments of a tool are filled in again from an earlier call', () => {
    const draft = draftFrom(fields, { title: 'T', deep: { n: 2 }, tags: ['y'] }, 'UTC');
    expect(contentOf(fields, draft).content).toEqual({ title: 'T', deep: { n: 2 }, tags: ['y'] });
  });

  it('schemas that are no schemas cause no error', () => {
    for (const schema of [null, 1, [], { properties: null }, { properties: { a: 1 } }]) {
      expect(() => argumentFields(schema)).not.toThrow();
    }
  });
});

describe('fields', () => {
  it('elicit-form-23: a field shows its default as a default, and sends it', () => {
    const field = { kind: 'boolean', name: 'news', required: true, default: true } as const;
    const draft = untouched([field], 'UTC');
    const place = { scope: 'q', draft, issues: [], secrets: new Set<string>(), warns: true, zone: 'UTC', now: 0 };
    expect(fieldControl(field, 0, place).text).toMatch(/value="true" checked[\s\S]*Yes <span class="mark">default/);
    expect(contentOf([field], draft).content).toEqual({ news: true });
  });

  it('an error of a field is marked, and the control points to it', () => {
    const field = { kind: 'text', name: 'email', format: 'email', required: true } as const;
    const issues = [{ field: 'email', rule: 'format', message: 'Email must be an email address.' }];
    const { text } = fieldControl(field, 0, {
      scope: 'q',
      draft: new Map(),
      issues,
      secrets: new Set(),
      warns: true,
      zone: 'UTC',
      now: 0,
    });
    expect(text).toContain('aria-describedby="q-f0-help q-f0-error"');
    expect(text).toContain('aria-invalid="true"');
    expect(text).toContain('<p class="error" id="q-f0-error">');
  });

  it('short choices take one line, long ones a row each, and forty a list of the desk’s own with a filter', () => {
    const shown = (count: number, title: (at: number) => string, required: boolean): string => {
      const choices = Array.from({ length: count }, (_, at) => ({ value: title(at), title: title(at) }));
      const field = { kind: 'select', name: 's', required, choices } as const;
      const draft = untouched([field], 'UTC');
      const place = { scope: 'q', draft, issues: [], secrets: new Set<string>(), warns: true, zone: 'UTC', now: 0 };
      return fieldControl(field, 0, place).text;
    };
    expect(shown(3, at => `Size ${at}`, false)).toContain('class="options inline"');
    expect(shown(3, at => `The one of ${at} with a long name`, false)).toContain('class="options"');
    const forty = shown(40, at => `Country ${at}`, true);
    expect(forty).toContain('class="options long"');
    expect(forty).toContain('Filter 40 choices');
    expect(forty).not.toContain('<select');
  });

  it('a choice is answered by position, so that a value cannot be forged by its spelling', () => {
    const field = { kind: 'select', name: 's', required: true, choices: [{ value: 'a\nb', title: 'A' }] } as const;
    expect(contentOf([field], draftOf([['f0', '0']])).content).toEqual({ s: 'a\nb' });
    expect(contentOf([field], draftOf([['f0', '7']])).content).toEqual({ s: '7' });
  });
});

describe('a command line', () => {
  it('a command line is cut into words without a shell', () => {
    expect(commandWords(`node "my server.js" --x='a b' c\\ d "" $HOME; rm`)).toEqual([
      'node',
      'my server.js',
      '--x=a b',
      'c d',
      '',
      '$HOME;',
      'rm',
    ]);
  });

  it('a command line says where a quote is not closed', () => {
    expect(() => commandWords('node "x')).toThrow(/quote/);
  });
});

describe('what the person did with a field of a question', () => {
  const note: Field = { kind: 'text', name: 'note', required: false, default: 'As before' };
  const contentFrom = (field: Field, posted: readonly (readonly [string, string])[]) =>
    contentOf([field], draftOf(posted)).content;

  it('a text that was emptied is sent as an empty text where the form allows one; an untouched field is left out', () => {
    expect(contentFrom(note, [['f0', '']])).toEqual({ note: '' });
    expect(contentFrom({ ...note, minLength: 1 }, [['f0', '']])).toEqual({});
    expect(contentFrom({ kind: 'text', name: 'note', required: false }, [['f0', '']])).toEqual({});
    expect(contentFrom(note, [])).toEqual({});
  });

  it('what no control fits is typed as JSON, with its schema and what is not checked beside it', () => {
    const shape = '{"type":"object"}';
    const field: AskedField = {
      kind: 'json',
      name: 'size',
      required: true,
      shape,
      unchecked: ["'unevaluatedProperties'"],
    };
    const draft = draftOf([['f0', '{"width": 1}']]);
    expect(contentOf([field], draft)).toEqual({ content: { size: { width: 1 } }, issues: [] });
    const place = { scope: 'q', draft, issues: [], secrets: new Set<string>(), warns: true, zone: 'UTC', now: 0 };
    const markup = fieldControl(field, 0, place).text;
    expect(markup).toContain('In JSON that fits {&quot;type&quot;:&quot;object&quot;}');
    expect(markup).toContain('Not checked here: &#39;unevaluatedProperties&#39;');
    expect(markup).toContain('<textarea');
  });

  it('a choice that is a number is sent as a number', () => {
    const choices = [1, 2].map(value => ({ value, title: `${value}` }));
    const field: AskedField = { kind: 'select', name: 'n', required: true, choices };
    expect(contentOf([field], draftOf([['f0', '1']])).content).toEqual({ n: 2 });
  });
});
