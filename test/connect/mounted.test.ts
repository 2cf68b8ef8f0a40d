/** Pages where people mount them: below a path, behind parsers, beside an endpoint; in Express, Fastify, Hono and plain Node. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parse } from 'node:querystring';
import { getRequestListener } from '@hono/node-server';
import { type Connect, formPage } from '@midcall/server/connect';
import { mcpEndpoint } from '@midcall/server/http';
import { nodeHandler } from '@midcall/server/node';
import { eras } from '@midcall/testing';
import { McpServer } from '@modelcontextprotocol/server';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { describe, expect, it, onTestFinished } from 'vitest';
import { fixture, told } from './fixture.ts';
import { type Look, pastCode } from './visitor.ts';

const trip = formPage({
  title: 'Plan the trip',
  items: {
    days: { kind: 'multi-select', label: 'Days', choices: ['Monday', 'Tuesday', 'Friday'] },
    people: { kind: 'list', label: 'Traveller', min: 1, items: { name: { kind: 'text', label: 'Name' } } },
  },
});
const sent = { days: ['Monday', 'Friday'], 'people.0.name': 'Ada & Zoë = 100 %' };
const planned = 'accept {"days":["Monday","Friday"],"people":[{"name":"Ada & Zoë = 100 %"}]}';

const inExpress = (mount: (app: express.Express) => void): Server => {
  const app = express();
  mount(app);
  return createServer(app);
};
const inHono = (mount: (app: Hono) => void): Server => {
  const app = new Hono();
  mount(app);
  return createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
};
const extended = express.urlencoded({ extended: true });
const flat = express.urlencoded({ extended: false });
const besides = (pages: Connect) =>
  nodeHandler(mcpEndpoint(() => new McpServer({ name: 'trips', version: '1.0.0' }), { elsewhere: pages.fetch }));

async function inFastify(pages: Connect): Promise<Server> {
  const app = fastify();
  const asString = { parseAs: 'string' } as const;
  app.addContentTypeParser('application/x-www-form-urlencoded', asString, (_, body, done) =>
    done(null, parse(`${body}`)),
  );
  app.all('/connect/*', async (request, reply) => {
    reply.hijack();
    await pages.handle(request.raw, reply.raw, request.body);
  });
  await app.ready();
  return app.server;
}

const mounts: readonly (readonly [string, (pages: Connect) => Server | Promise<Server>])[] = [
  ['in Node, with handle', pages => createServer((req, res) => void pages.handle(req, res))],
  ['in Express, below a path', pages => inExpress(app => app.use('/connect', pages.handle))],
  ['in Express, behind a parser of forms', pages => inExpress(app => app.use(extended).use(pages.handle))],
  ['in Express, below a path behind a flat parser', pages => inExpress(app => app.use('/connect', flat, pages.handle))],
  [
    'in Express, behind a parser that has set a body without reading it',
    pages =>
      inExpress(app => {
        app.use((req, _, next) => {
          req.body = {};
          next();
        });
        app.use(pages.handle);
      }),
  ],
  ['in Express, beside an endpoint behind a parser', pages => inExpress(app => app.use(extended).use(besides(pages)))],
  ['in Fastify, with the body it parsed', inFastify],
  ['in Hono, as a route', pages => inHono(app => app.all('/connect/*', context => pages.fetch(context.req.raw)))],
  ['in Hono, as an application', pages => inHono(app => app.mount('/connect', pages.fetch, { replaceRequest: false }))],
];

/** The form of a page that is mounted so, as it was sent. */
async function send(
  era: (typeof eras)[number],
  mount: (pages: Connect) => Server | Promise<Server>,
  fields: Record<string, string | readonly string[]>,
) {
  let mounted: Server | undefined;
  const server = createServer((req, res) => mounted!.emit('request', req, res));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const made = await fixture({
    era,
    connect: { baseUrl: `http://127.0.0.1:${port}/connect` },
    handler: async call => told(await call.elicitUrl({ message: 'Where to?', page: trip })),
  });
  mounted = await mount(made.pages);
  const result = made.call();
  void result.catch(() => {}); // of a call that is still waiting at the end
  const person = await pastCode(await made.whenAsked(1));
  const look: Look = await person.send(fields);
  return { look, result, warned: made.warned };
}

describe.each(eras)('%s: pages', era => {
  it.each(mounts)('pages %s take a form as it was sent', async (_, mount) => {
    const { look, result } = await send(era, mount, sent);
    expect(look.title).toBe('This is done');
    expect(await result).toBe(`${planned} page out-of-band`);
  });
});

describe('a form whose body was read before it got to the pages', () => {
  const reads: readonly (readonly [string, (pages: Connect) => Server])[] = [
    [
      'and is not passed on',
      pages =>
        inExpress(app =>
          app.use(
            extended,
            (req, _, next) => {
              if (req.headers['content-length'] !== '0' && 'days' in (req.body ?? {})) req.body = undefined;
              next();
            },
            pages.handle,
          ),
        ),
    ],
    [
      'by a middleware of Hono',
      pages =>
        inHono(app => {
          app.all('/connect/*', async context => {
            if ((await context.req.raw.clone().text()).includes('days')) await context.req.parseBody();
            return pages.fetch(context.req.raw);
          });
        }),
    ],
  ];
  it.each(reads)('a form whose body was read %s is refused, and the operator learns why', async (_, mount) => {
    const { look, warned } = await send('2026-07-28', mount, sent);
    expect([look.status, look.title]).toEqual([500, 'Something went wrong here']);
    expect(warned.join()).toContain('something in front of the pages has read it');
  });

  it('a form that was read by a parser that renamed its fields is refused, and the operator learns why', async () => {
    const mount = (pages: Connect) => inExpress(app => app.use(extended).use(pages.handle));
    const { look, warned } = await send('2026-07-28', mount, { ...sent, 'note[to]': 'Ada' });
    expect(look.status).toBe(500);
    expect(warned.join()).toContain('express.urlencoded({ extended: false })');
  });
});
