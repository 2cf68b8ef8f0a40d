/** A JSON value as a tree that folds, with lists of similar objects as tables; all of it is foreign text. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { type Members, tableColumns, visible } from '../../index.ts';
import { visibleHtml } from '../html/index.ts';
import { texts } from '../texts/index.ts';

/** How much of one value is shown: nodes in total, members of one node, rows of a table, unfolded levels. */
const [mostNodes, mostMembers, mostRows, openLevels] = [3_000, 200, 100, 2];
/** The most characters shown of a name, of a text, and of either part of a text in a table. */
const [mostOfName, mostOfText, mostOfPart] = [200, 5_000, 1_000];
/** So many characters count as one more node, so that a few long texts do not make a page of megabytes. */
const perNode = 100;
/** How many levels are shown; anything nested deeper is not. */
const deepest = 40;

const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';

function scalar(value: unknown): Html {
  if (typeof value === 'string')
    return html`<span class="json-string">${visibleHtml(JSON.stringify(value), mostOfText)}</span>`;
  return html`<span class="json-${value === null ? 'null' : typeof value}">${String(value)}</span>`;
}

/** What is longer folds, so that rows are one line: a column far to the right would make every row as tall as its texts are. */
const mostInCell = 72;

/** A number or an object may be broken into lines. */
const widthOf = (value: unknown): 'short' | undefined =>
  typeof value === 'string' && value.length <= mostInCell ? 'short' : undefined;

function textCell(text: string): Html {
  if (text.length <= mostInCell) return visibleHtml(text, mostOfPart);
  const space = text.lastIndexOf(' ', mostInCell);
  const at = space > mostInCell / 2 ? space : mostInCell;
  return html`<details class="long-cell"><summary>${visibleHtml(text.slice(0, at), mostOfPart)}</summary>${visibleHtml(text.slice(at), mostOfPart)}</details>`;
}

class Tree {
  #left = mostNodes;

  #count(value: unknown, most: number): void {
    this.#left -= 1 + (typeof value === 'string' ? Math.min(value.length, most) / perNode : 0);
  }

  node(name: string | undefined, value: unknown, level: number): Html {
    this.#count(value, mostOfText);
    this.#left -= Math.min(name?.length ?? 0, mostOfName) / perNode;
    const key = name !== undefined && html`<span class="json-key">${visibleHtml(name, mostOfName)}</span>: `;
    if (isScalar(value)) return html`<li>${key}${scalar(value)}</li>`;
    const list = Array.isArray(value) ? value : undefined;
    const members: readonly (readonly [string | undefined, unknown])[] = list
      ? list.map(each => [undefined, each] as const)
      : Object.entries(value as Members);
    const size = list ? texts.json.entries(members.length) : texts.json.members(members.length);
    if (members.length === 0) return html`<li>${key}<span class="json-size">${list ? '[]' : '{}'}</span></li>`;
    const open = level < openLevels;
    const columns = list && tableColumns(list);
    const inner = columns ? this.#table(columns, list as readonly Members[]) : this.#members(members, level);
    return html`<li><details${open && html` open`}><summary>${key}<span class="json-size">${size}</span></summary>${inner}</details></li>`;
  }

  #members(members: readonly (readonly [string | undefined, unknown])[], level: number): Html {
    if (level >= deepest) return html`<p class="json-size">${texts.call.tooDeep}</p>`;
    const nodes: Html[] = [];
    for (const [name, each] of members.slice(0, mostMembers)) {
      if (this.#left <= 0) break;
      nodes.push(this.node(name, each, level + 1));
    }
    const left = members.length - nodes.length;
    return html`<ul class="json-members">${nodes}${left > 0 && html`<li class="json-size">${texts.json.more(left)}</li>`}</ul>`;
  }

  #table(columns: readonly string[], rows: readonly Members[]): Html {
    const cell = (row: Members, name: string): Html => {
      this.#count(row[name], mostInCell + mostOfPart);
      if (!Object.hasOwn(row, name)) return html``;
      return typeof row[name] === 'string' ? textCell(row[name]) : scalar(row[name]);
    };
    const shown: Html[] = [];
    for (const row of rows.slice(0, mostRows)) {
      if (this.#left <= 0) break;
      shown.push(
        html`<tr>${columns.map(name => html`<td${attributes({ class: widthOf(row[name]) })}>${cell(row, name)}</td>`)}</tr>`,
      );
    }
    const left = rows.length - shown.length;
    return html`<div${attributes({ class: 'md-table', tabindex: 0, role: 'region', 'aria-label': visible(texts.json.table(columns), { max: 200 }) })}><table><thead><tr>${columns.map(name => html`<th scope="col">${visibleHtml(name, 120)}</th>`)}</tr></thead><tbody>${shown}</tbody></table></div>${left > 0 && html`<p class="json-size">${texts.json.more(left)}</p>`}`;
  }
}

/** The tree of a value; of a very large one, the beginning. */
export const jsonTree = (value: unknown): Html => html`<ul class="json">${new Tree().node(undefined, value, 0)}</ul>`;
