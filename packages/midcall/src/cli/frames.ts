/** JSON-RPC frames as a few readable lines: the sender, the form, the answer. Pure. */

type Json = Readonly<Record<string, unknown>>;

const object = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {});

const brief = (value: unknown): string => {
  const text = JSON.stringify(value) ?? '';
  return text.length <= 160 ? text : `${text.slice(0, 159)}…`;
};

/**
 * One frame as lines.
 * @param arrow - its direction
 * @returns nothing for frames that only maintain the connection
 */
export function frameLines(arrow: '→' | '←', frame: unknown): string[] {
  const { method, params, result, error } = object(frame);
  if (typeof method === 'string') {
    if (method.startsWith('notifications/')) return [];
    return request(arrow, method, object(params));
  }
  if (error !== undefined) return [`${arrow} error ${object(error)['code']}: ${object(error)['message']}`];
  return response(arrow, object(result));
}

function request(arrow: string, method: string, params: Json): string[] {
  if (method === 'elicitation/create') return [`${arrow} ${method}: ${params['message']}`, ...form(params)];
  if (method !== 'tools/call') return [`${arrow} ${method}`];
  const answers = Object.values(object(params['inputResponses'])).map(each => `    answer: ${answer(object(each))}`);
  const again = params['requestState'] === undefined ? '' : ', with the sealed state';
  return [`${arrow} ${method} ${params['name']} ${brief(params['arguments'])}${again}`, ...answers];
}

function response(arrow: string, result: Json): string[] {
  if (result['resultType'] === 'input_required') {
    const requestLines = Object.values(object(result['inputRequests'])).flatMap(each => {
      const { method, params } = object(each);
      return request('   ', String(method), object(params));
    });
    return [`${arrow} input_required, with a sealed state`, ...requestLines];
  }
  if (Array.isArray(result['content'])) {
    const [first] = result['content'] as unknown[];
    return [`${arrow} ${result['isError'] === true ? 'result, isError' : 'result'}: ${object(first)['text']}`];
  }
  return [`${arrow} ${answer(result)}`];
}

function answer(result: Json): string {
  if (typeof result['action'] === 'string') return `${result['action']} ${brief(result['content'])}`;
  const roots = result['roots'];
  return Array.isArray(roots) ? `roots ${roots.map(root => object(root)['uri']).join(' ')}` : 'ok';
}

function form(params: Json): string[] {
  const { properties } = object(params['requestedSchema']);
  return Object.entries(object(properties)).flatMap(([name, property]) => {
    const { type, oneOf } = object(property);
    if (!Array.isArray(oneOf)) return [`      ${name}: ${type}`];
    return [
      `      ${name}: one of`,
      ...oneOf.map(each => `        ${object(each)['const']}  ${object(each)['title']}`),
    ];
  });
}
