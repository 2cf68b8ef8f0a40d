import { hasBrowser, openUrl, type Spawn } from '@midcall/core/node';
import { judgeUrl, visible } from '@midcall/host';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hides, visibleJson } from '../../../packages/core/src/text/visible.ts';

const rules = (href: string, trusted: string[] = []): string[] =>
  judgeUrl(href, { trusted }).warnings.map(warning => warning.rule);

describe('URL judgement', () => {
  it('elicit-url-02, elicit-url-64: the registrable domain stands out, by the public suffix list', () => {
    expect(judgeUrl('https://login.example.co.uk/a?b#c').parts).toEqual({
      before: 'https://login.',
      domain: 'example.co.uk',
      after: '/a?b#c',
    });
    expect(judgeUrl('https://ada.github.io/').parts.domain).toBe('ada.github.io');
  });

  it.each([
    ['https://example.com/', []],
    ['http://example.com/', ['not-https']],
    ['https://example.com:8443/', ['port']],
    ['https://google.com@evil.example/', ['user-info', 'local-host']],
    ['https://:google.com@evil.example/', ['user-info', 'local-host']],
    ['https://google.com:443@evil.com/', ['user-info']],
    ['https://:@evil.com/', []],
    ['https://a@b@evil.com/', ['user-info']],
    ['https://google.com%2f@evil.com/', ['user-info']],
    ['https://google.com%40evil.com@paypal.com/', ['user-info']],
    ['https://evil.com/@google.com', []],
    ['https://evil.com\\@google.com', []],
    ['https:/evil.com/', ['rewritten']],
    ['https:evil.com', ['rewritten']],
    ['https:evil.com/?https://evil.com/', ['rewritten']],
    ['https://ada.github.io/', []],
    ['HTTPS://EVIL.COM/', []],
    ['https://paypaI.com/', ['rewritten']],
    ['https://GitHub.com/', []],
    ['https://evil.com:443/', []],
    ['http://evil.com:80/', ['not-https']],
    ['http://[::1]:8080/', ['local-host']],
    ['http://app.localhost/', ['local-host']],
    ['http://localhost.evil.com/', ['not-https']],
    ['http://127.0.0.1.evil.com/', ['not-https']],
    ['https://2130706433/', ['local-host', 'rewritten']],
    ['https://printer/', ['local-host']],
    ['https://ｇoogle.com/', ['rewritten']],
    ['https://93.184.216.34/', ['ip-host']],
    ['https://[2606:4700::1111]/', ['ip-host']],
    ['http://127.0.0.1:4000/connect', ['local-host']],
    ['https://xn--80ak6aa92e.com/', ['punycode', 'latin-lookalike']],
    ['https://gооgle.com/', ['punycode', 'mixed-scripts']],
    ['https://my_host.example.com/', []],
    ['https://0x7f000001/', ['local-host', 'rewritten']],
    ['https:\\\\example.com\\', ['rewritten']],
  ])('elicit-url-65: %s has the warnings %j', (href, expected) => {
    expect(judgeUrl(href).openable).toBe(true);
    expect(rules(href)).toEqual(expected);
  });

  it.each([
    ['ip-host', 'a bare number', 'https://93.184.216.34/'],
    ['local-host', 'a page on your own machine', 'http://localhost/'],
    ['local-host', 'inside your own network', 'https://printer/'],
    ['not-https', 'not encrypted', 'http://example.com/'],
    ['port', 'port 8443', 'https://example.com:8443/'],
    ['punycode', 'other than a to z: аррӏе.com (xn--80ak6aa92e.com).', 'https://xn--80ak6aa92e.com/'],
    ['mixed-scripts', 'several alphabets', 'https://gооgle.com/'],
    ['odd-signs', 'signs in it', 'https://i❤.ws/'],
    ['rewritten', 'it leads to evil.com', 'https:evil.com'],
    ['malformed', 'not a complete web address', 'nowhere'],
    ['length', 'very long (620 characters)', `https://example.com/${'a'.repeat(600)}`],
    ['length', '9020 characters', `https://example.com/${'a'.repeat(9_000)}`],
    ['scheme', 'start with ftp:', 'ftp://example.com/'],
    ['control', 'hidden or blank', 'https://example.com/a b'],
  ])('elicit-url-65: a warning says in words what is odd about an address: %s, %s', (rule, words, href) => {
    expect(judgeUrl(href).warnings.find(warning => warning.rule === rule)?.message).toContain(words);
  });

  it('elicit-url-65: a warning says which domain a lookalike looks like', () => {
    const [warning] = judgeUrl('https://exmaple.com/', { trusted: ['example.com'] }).warnings;
    expect(warning?.message).toContain('It looks like example.com, which you have opened before');
  });

  it.each(['nowhere', 'ftp://example.com/', 'https:evil.com/?https://evil.com/', 'http://[0:0:0:0:0:0:0:1]/'])(
    '%s is shown as a whole, of which nothing stands out',
    href => expect(judgeUrl(href).parts).toEqual({ before: href, domain: '', after: '' }),
  );

  it('the domain of an unencrypted page stands out too', () => {
    expect(judgeUrl('http://www.example.com/').parts.domain).toBe('example.com');
  });

  it('elicit-url-64: the domain stands out and nothing beside it, also after capitals that become several small letters', () => {
    expect(judgeUrl(`https://${'İ'.repeat(11)}.evilxx.com/google.com/`).parts.domain).toBe('evilxx.com');
    expect(judgeUrl('https://МОЙБАНК.рф/').parts.domain).toBe('МОЙБАНК.рф');
  });

  it('a name is given in readable form where it differs, and then only', () => {
    expect(judgeUrl('https://xn--80ak6aa92e.com/').readableHost).toBe('аррӏе.com');
    for (const href of ['https://example.com/', 'http://[::1]/'])
      expect(judgeUrl(href)).not.toHaveProperty('readableHost');
  });

  it('elicit-url-65: an address of 620 letters has the warning length', () => {
    expect(rules(`https://example.com/${'a'.repeat(600)}`)).toEqual(['length']);
  });

  it.each([
    'javascript:alert(1)',
    'file:///etc/passwd',
    'data:text/html,x',
    'not a url',
    'https://exa\u202Emple.com/',
    'https://example.com/a\u202Eb',
    'https://example.com/#\u200b',
    'https://example.com/a b',
    'https://example.com/?a\tb',
    ' https://example.com/',
    'https://a b.com/',
  ])('elicit-url-10, elicit-url-59: %j is never opened', href => expect(judgeUrl(href).openable).toBe(false));

  it.each([
    ['https://:google.com@evil.example/', 'evil.example', 'evil.example'],
    ['https://google.com@evil.com/', 'evil.com', 'evil.com'],
    ['https://evil.com@google.com@evil.com/', 'evil.com', 'evil.com'],
    ['https://www.google.com@login.evil.co.uk/google.com', 'login.evil.co.uk', 'evil.co.uk'],
  ])('what %s leads to stands out, and a warning says where: %s', (href, host, domain) => {
    const { parts, warnings } = judgeUrl(href);
    expect(parts.domain).toBe(domain);
    expect(parts.before).toBe(href.slice(0, href.lastIndexOf('@') + 1 + host.length - domain.length));
    expect(warnings.find(({ rule }) => rule === 'user-info')?.message).toContain(`it leads to ${host}.`);
  });

  it('an address of up to 8,192 characters is taken, with a warning above 500', () => {
    const long = (length: number) => `https://x.com/${'a'.repeat(length - 14)}`;
    expect(judgeUrl(long(8_192)).openable).toBe(true);
    expect(judgeUrl(long(8_193))).toMatchObject({ openable: false, warnings: [{ rule: 'length' }] });
    expect(rules(long(500))).toEqual([]);
    expect(rules(long(501))).toEqual(['length']);
  });

  it('elicit-url-59: an address of 9,000 letters is never opened', () => {
    expect(judgeUrl(`https://x.com/${'a'.repeat(9000)}`).openable).toBe(false);
  });

  it('elicit-url-59: a lookalike of a domain opened before has a warning, and the domain itself has none', () => {
    expect(rules('https://paypa1.com/', ['paypal.com'])).toContain('lookalike');
    expect(rules('https://exarnple.com/', ['example.com'])).toContain('lookalike');
    expect(rules('https://exmaple.com/', ['example.com'])).toContain('lookalike');
    expect(rules('https://login.example.com/', ['example.com'])).toEqual([]);
    expect(rules('https://other.org/', ['example.com'])).toEqual([]);
    expect(rules('https://exbnple.com/', ['example.com'])).toEqual([]);
    expect(rules('https://y.co/', ['t.co'])).toEqual([]);
  });

  it.each([
    ['another letter', 'exomple.com', 'example.com'],
    ['a letter more', 'exammple.com', 'example.com'],
    ['a letter less', 'exmple.com', 'example.com'],
    ['a letter more at its end', 'examplee.com', 'example.com'],
    ['two letters swapped', 'exapmle.com', 'example.com'],
    ['another letter in a name of six', 'ac.com', 'ab.com'],
    ['an accent', 'éxample.com', 'example.com'],
    ['rn for m', 'rnarnrnoth.com', 'mammoth.com'],
    ['vv for w', 'vvikivvand.com', 'wikiwand.com'],
    ['cl for d', 'clropclead.com', 'dropdead.com'],
    ['i for l', 'iiiie.com', 'lille.com'],
    ['letters of another alphabet, below a name of its own', 'login.аррӏе.com', 'apple.com'],
  ])('elicit-url-59: a lookalike with %s has a warning: %s', (_, host, known) => {
    expect(rules(`https://${host}/`, [known])).toContain('lookalike');
  });

  it.each([
    ['two letters more', 'bananana.com', 'banana.com'],
    ['two letters less', 'banana.com', 'bananana.com'],
    ['two letters, the first of them moved', 'exmxple.com', 'example.com'],
    ['two letters, the last of them moved', 'exxaple.com', 'example.com'],
    ['two letters in place of three', 'exmale.com', 'examqle.com'],
    ['three letters in place of two', 'examqle.com', 'exmale.com'],
    ['another letter in a name of five', 'b.com', 'a.com'],
  ])('a name with %s is taken for no lookalike: %s', (_, host, known) => {
    expect(rules(`https://${host}/`, [known])).toEqual([]);
  });

  it.each([
    ['wікіреdіа.org', 'mixed-scripts'],
    ['αpple.com', 'mixed-scripts'],
    ['ꓮpple.com', 'mixed-scripts'],
    ['рaypal.com', 'mixed-scripts'],
    ['cіtіbаnk.example.com', 'mixed-scripts'],
    ['аррӏе.com', 'latin-lookalike'],
    ['раураӏ.com', 'latin-lookalike'],
    ['login.ѕсоре.com', 'latin-lookalike'],
    ['ᎪᏢᏢᏞᎬ.com', 'latin-lookalike'],
    ['ꓮꓑꓑꓡꓰ.com', 'latin-lookalike'],
    ['օոհ.com', 'latin-lookalike'],
    ['ορρο.com', 'latin-lookalike'],
    ['ᗷᗞᗪ.com', 'latin-lookalike'],
    ['ѕсоре2.com', 'latin-lookalike'],
    ['google.comノsearch.evil.com', 'odd-signs'],
    ['google.com⁄search.evil.com', 'odd-signs'],
    ['google.com∕search.evil.com', 'odd-signs'],
    ['pay一pal.com', 'odd-signs'],
    ['ɢoogle.com', 'odd-signs'],
    ['i❤.ws', 'odd-signs'],
  ])('the judgement of an address warns of %s: %s', (host, rule) => {
    expect(rules(`https://${host}/`)).toContain(rule);
    expect(rules(new URL(`https://${host}/`).href)).toContain(rule);
  });

  it('a warning says what a name in letters of another alphabet reads like', () => {
    const [, warning] = judgeUrl('https://id.аррӏе.com/').warnings;
    expect(warning?.message).toContain('It reads like id.apple.com');
  });

  it.each([
    ...[
      'münchen.de',
      'l·l.cat',
      'łódź.pl',
      'tromsø.no',
      'ɖevi.tg',
      'московский.com',
      'хакер.рф',
      'сор.бел',
      'пример.com',
    ],
    ...['παράδειγμα.com', 'ελ.ελ', 'հայ.com', 'תל-אביב.com', 'مثال.إختبار', 'सात.भारत', 'ไทย.com', 'ქართული.ge'],
    ...['日本語.jp', '日本カフェabc.jp', 'コーヒー.jp', '한글abc.kr', '中文ㄅㄆ.tw', 'ខ្មែរ.com', 'አማርኛ.com'],
  ])('the judgement has nothing against %s but that it is not written in a to z', host => {
    expect(rules(`https://${host}/`).filter(rule => rule !== 'local-host')).toEqual(['punycode']);
  });

  it('a lookalike across alphabets of a domain opened before has a warning', () => {
    for (const host of ['аррӏе.com', 'ᎪᏢᏢᏞᎬ.com', 'appłe.com', 'ɑpple.com'])
      expect(rules(`https://${host}/`, ['apple.com'])).toContain('lookalike');
    expect(rules('https://москва.com/', ['apple.com'])).not.toContain('lookalike');
  });

  it('elicit-url-62: the parts of an address show exactly what was sent, whatever was sent', {
    tags: 'thorough',
  }, () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.webUrl({ withFragments: true, withQueryParameters: true, size: 'xsmall' }), fc.string()),
        href => {
          const { parts, href: shown } = judgeUrl(href);
          expect(shown).toBe(href);
          expect(parts.before + parts.domain + parts.after).toBe(href);
        },
      ),
    );
  });
});

describe('opening a page', () => {
  const run = async (href: string, platform: NodeJS.Platform) => {
    const calls: unknown[][] = [];
    const spawn: Spawn = (...args) => {
      calls.push(args);
      return { once: (event, listener) => event === 'spawn' && listener(), unref: () => {} };
    };
    const opened = await openUrl(href, { platform, environment: { DISPLAY: ':0' }, spawn });
    return { opened, calls };
  };

  it.each([
    ['linux', ['xdg-open', ['https://example.com/?a=1&b=%22;rm']]],
    ['darwin', ['open', ['https://example.com/?a=1&b=%22;rm']]],
    ['win32', ['rundll32.exe', ['url.dll,FileProtocolHandler', 'https://example.com/?a=1&b=%22;rm']]],
  ] as const)(
    'elicit-url-63: on %s an address is handed over as one argument, without a shell',
    async (platform, [command, args]) => {
      const { opened, calls } = await run('https://example.com/?a=1&b=";rm', platform);
      expect(opened).toBe(true);
      expect(calls).toEqual([[command, args, expect.objectContaining({ shell: false })]]);
    },
  );

  it('a Linux inside Windows takes the browser of Windows, and the next program where one cannot start', async () => {
    const tried: string[] = [];
    const spawn: Spawn = command => {
      tried.push(command);
      const works = command === 'xdg-open';
      return { once: (event, listener) => (event === 'spawn') === works && listener(), unref: () => {} };
    };
    const environment = { WSL_INTEROP: '/run/WSL/1_interop', DISPLAY: ':0' };
    expect(await openUrl('https://example.com', { platform: 'linux', environment, spawn })).toBe(true);
    expect(tried).toEqual(['rundll32.exe', 'xdg-open']);
    delete (environment as { DISPLAY?: string }).DISPLAY;
    expect(await openUrl('https://example.com', { platform: 'linux', environment, spawn })).toBe(false);
  });

  it('whether there may be a browser is said in advance', () => {
    expect(hasBrowser({ platform: 'linux', environment: {} })).toBe(false);
    expect(hasBrowser({ platform: 'linux', environment: { WAYLAND_DISPLAY: 'wayland-0' } })).toBe(true);
    expect(hasBrowser({ platform: 'darwin', environment: {} })).toBe(true);
  });

  it('nothing is opened that is not http(s), and nothing where there is no display', async () => {
    expect((await run('--version', 'linux')).calls).toEqual([]);
    expect((await run('file:///etc/passwd', 'darwin')).calls).toEqual([]);
    expect((await run('https://example.com/\u202Egpj.exe', 'darwin')).calls).toEqual([]);
    expect((await run('https://example.com/a b', 'darwin')).calls).toEqual([]);
    expect((await run(`https://example.com/${'a'.repeat(9_000)}`, 'darwin')).calls).toEqual([]);
    expect(await openUrl('https://example.com', { platform: 'linux', environment: {} })).toBe(false);
  });
});

describe('visible text', () => {
  it('visible text writes out what would hide, move or reverse, and keeps what people write', {
    tags: 'thorough',
  }, () => {
    expect(visible('a\u202Eb\u0007c\u200Bd\ne')).toBe('a⟦U+202E⟧b⟦U+0007⟧c⟦U+200B⟧d⟦U+000A⟧e');
    expect(visible('a\nb', { lines: true })).toBe('a\nb');
    expect(visible('\u001b[31mred')).toBe('⟦U+001B⟧[31mred');
    expect(visible('Ünï 日本 👨‍👩‍👧 é')).toBe('Ünï 日本 👨‍👩‍👧 é');
    expect(visible('abcdef', { max: 2 })).toBe('ab… (4 more characters)');
    expect(visible('👍👍👍\uD83D👍', { max: 1 })).toBe('👍… (4 more characters)');
    expect(visible('x'.repeat(150_000_000), { max: 1 })).toBe('x… (149,999,999 more characters)');
  });

  it('visible JSON says the same, with nothing hidden in it', { tags: 'thorough' }, () => {
    expect(visibleJson({ a: '\u009B31m\u202E\u001B', b: ['\u{E0041}é👍'] })).toBe(
      '{"a":"\\u009b31m\\u202e\\u001b","b":["\\udb40\\udc41é👍"]}',
    );
    fc.assert(
      fc.property(fc.json(), fc.constantFrom(undefined, 2), (json, indent) => {
        const text = visibleJson(JSON.parse(json), indent);
        expect(JSON.parse(text)).toEqual(JSON.parse(json));
        expect(hides(text)).toBe(false);
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        expect(JSON.parse(visibleJson(text))).toBe(text);
        expect(hides(visibleJson(text))).toBe(false);
      }),
    );
  });

  it('visible text leaves nothing hidden, whatever the text', { tags: 'thorough' }, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => {
        expect(visible(text)).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069\u200B\u2028\u2029]/u);
      }),
    );
  });
});
