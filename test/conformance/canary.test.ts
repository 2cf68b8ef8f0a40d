/** Secrets that get out are found, in whatever they get out by. */
import { describe, expect, it } from 'vitest';
import { judgeCanaries } from '../../tools/canary-judge.ts';

const secret = 'sk-canary-0123456789';
const planted = [{ secret, what: 'secret of a page', test: 'a' }];

describe('judgeCanaries', () => {
  it('the judge names what got out, by what and in which test, and never the secret', () => {
    const said = [
      { sink: 'a frame of the server over http', text: `{"jsonrpc":"2.0","result":"${secret}"}`, test: 'b' },
      { sink: 'address', text: 'http://127.0.0.1/connect/x', test: 'c' },
    ];
    const found = judgeCanaries({ secrets: planted, said });
    expect(found).toEqual([{ test: 'b', says: 'secret of a page in: a frame of the server over http' }]);
  });

  it('the judge finds several secrets with one beginning, once each', () => {
    const other = { secret: `${secret}-more`, what: 'client secret', test: 'a' };
    const said = [{ sink: 'log', text: `${secret}-more and ${secret}`, test: 'b' }];
    const found = judgeCanaries({ secrets: [...planted, other], said });
    expect(found.map(({ says }) => says).sort()).toEqual(['client secret in: log', 'secret of a page in: log']);
  });

  it('the judge wants secrets that can be recognised', () => {
    const short = { secret: 'canary', what: 'secret of a page', test: 'a' };
    const plain = { secret: 'no-bird-0123456789', what: 'secret of a page', test: 'a' };
    expect(judgeCanaries({ secrets: [short, plain], said: [] })).toHaveLength(2);
  });
});
