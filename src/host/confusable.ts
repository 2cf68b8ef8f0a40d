/**
 * Letters that pass for others, for comparing names. Not the whole of Unicode's table (UTS #39): the letters of Cyrillic
 * and Greek that are drawn like Latin ones, digits for letters, and pairs that run together. Pure.
 */

// biome-ignore format: a table reads better in rows.
const twins: Readonly<Record<string, string>> = {
  // Cyrillic
  а: 'a', в: 'b', с: 'c', ԁ: 'd', е: 'e', һ: 'h', і: 'i', ї: 'i', ј: 'j', к: 'k', ӏ: 'l', м: 'm', н: 'h', о: 'o',
  р: 'p', ԛ: 'q', ѕ: 's', т: 't', у: 'y', ѵ: 'v', ԝ: 'w', х: 'x', г: 'r', п: 'n',
  // Greek
  α: 'a', β: 'b', ε: 'e', η: 'n', ι: 'i', κ: 'k', ν: 'v', ο: 'o', ρ: 'p', τ: 't', υ: 'u', χ: 'x', ω: 'w',
  // Latin beyond ASCII that keeps its shape
  ı: 'i', ł: 'l', ø: 'o', đ: 'd', ħ: 'h', ß: 'ss', æ: 'ae', œ: 'oe', ɑ: 'a', ɡ: 'g',
  // Digits
  '0': 'o', '1': 'l', '3': 'e', '5': 's', '8': 'b',
};

/** A name reduced to what it looks like: two names with one skeleton can be taken for each other. */
export function skeleton(name: string): string {
  const letters = [...name.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')].map(each => twins[each] ?? each);
  return letters.join('').replaceAll('rn', 'm').replaceAll('vv', 'w').replaceAll('cl', 'd').replaceAll('i', 'l');
}

const scripts = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Hebrew', 'Arabic', 'Georgian', 'Cherokee', 'Thai'].map(
  script => new RegExp(`\\p{Script=${script}}`, 'u'),
);
const eastAsian = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}]/u;

/** True where one label of a host name mixes alphabets; Han with kana, Hangul or Latin is ordinary writing. */
export function mixedScripts(host: string): boolean {
  return host.split('.').some(label => {
    const found = scripts.filter(script => script.test(label)).length;
    const asian = eastAsian.test(label);
    return found > 1 || (asian && found === 1 && !/\p{Script=Latin}/u.test(label));
  });
}
