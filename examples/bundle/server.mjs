/**
 * The server that the manifest beside it bundles. Its key comes from the host's settings: the host asks for it when the
 * bundle is installed, keeps it, and hands it over as an environment variable. No question and no model ever sees it.
 */

import { midcall } from '@midcall/server';
import { serveStdio } from '@midcall/server/node';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const key = process.env['WEATHER_API_KEY'] ?? '';
// Nothing that this server starts inherits it.
delete process.env['WEATHER_API_KEY'];

/** Stands for the weather service. */
const forecast = async (place, apiKey) => {
  if (apiKey === '') throw new Error('The weather service wants a key.');
  return `Sunny in ${place}.`;
};

const text = words => ({ content: [{ type: 'text', text: words }] });
const mid = midcall();

serveStdio(() => {
  const server = new McpServer({ name: 'weather', version: '1.0.0' });
  mid.tool(
    server,
    'forecast',
    {
      title: 'Forecast',
      description: 'The forecast for a place.',
      inputSchema: z.object({ place: z.string() }),
      annotations: { readOnlyHint: true },
    },
    async ({ place }) => {
      if (key === '')
        return { ...text("Enter the API key in your host's settings for this extension."), isError: true };
      return text(await forecast(place, key));
    },
  );
  return server;
});
