/** A host that lets servers use the person's models. */
// #region host
import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { attach, type Inbox } from '@midcall/host';
import { modelRouter } from '@midcall/host/models';
import type { Client } from '@modelcontextprotocol/client';

export function withModels(client: Client, inbox: Inbox, apiKey: string) {
  const local = createOpenAICompatible({ name: 'local', baseURL: 'http://127.0.0.1:11434/v1' });
  const anthropic = createAnthropic({ apiKey });

  const model = modelRouter({
    models: [
      {
        model: local('qwen3'),
        name: 'qwen3',
        cost: 0,
        speed: 0.5,
        intelligence: 0.4,
        standsFor: ['haiku', 'gpt-mini'],
      },
      {
        model: anthropic('claude-sonnet-4-5'),
        name: 'claude',
        cost: 0.7,
        speed: 0.6,
        intelligence: 0.9,
        skills: ['tools', 'image'],
      },
    ],
  });

  return attach(client, {
    server: { id: 'notes', origin: 'midcall notes' },
    inbox, // with a view: the person reviews each request
    sampling: { model, budget: { requests: 50, tokens: 200_000 } },
  });
}
// #endregion
