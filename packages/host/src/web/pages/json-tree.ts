/** A JSON value as a tree that folds, with lists of similar objects as tables; all of it is foreign text. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { type Members, tableColumns, visible } from '../../index.ts';
import { texts } from '../texts/texts.ts';
import { visibleHtml } from '../visible-html.ts';

/** How much of one value is shown: nodes in total, members of one node, rows of a table, unfolded levels. */
const [mostNodes, mostMembers, mostRows, openLevels] = [3_000, 200, 100, 2];
/** Anything nested deeper is not shown. */
const deepest = 40;

const isScalar = (value: unknown): boolean => value === null || typeof value !== 'object';

function scalar(value: unknown): Html {
  if (typeof value === 'string')
    return html`<span class="json-string">${visibleHtml(JSON.stringify(value), 5_000)}</span>`;
  return html`<span class="json-${value === null ? 'null' : typeof value}">${String(value)}</span>`;
}

/** What is longer folds, so that rows are one line: a column far to the right would make every row as tall as its texts are. */
const mostInCell = 72;

/** A number or an object may be broken into lines. */
const widthOf = (value: unknown): 'short' | undefined =>
  typeof value === 'string' && value.length <= mostInCell ? 'short' : undefined;

function textCell(text: string): Html {
  if (text.length <= mostInCell) return visibleHtml(text, 1_000);
  const space = text.lastIndexOf(' ', mostInCell);
  const at = space > mostInCell / 2 ? space : mostInCell;
  return html`<details class="long-cell"><summary>${visibleHtml(text.slice(0, at), 1_000)}</summary>${visibleHtml(text.slice(at), 1_000)}</details>`;
}

class Tree {
  #left = mostNodes;

  node(name: string | undefined, value: unknown, level: number): Html {
    this.#left -= 1;
    const key = name !== undefined && html`<span class="json-key">${visibleHtml(name, 200)}</span>: `;
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
    const firstRows = rows.slice(0, mostRows);
    this.#left -= firstRows.length * columns.length;
    const cell = (row: Members, name: string): Html =>
      Object.hasOwn(row, name) ? (typeof row[name] === 'string' ? textCell(row[name]) : scalar(row[name])) : html``;
    return html`<div${attributes({ class: 'md-table', tabindex: 0, role: 'region', 'aria-label': visible(texts.json.table(columns), { max: 200 }) })}><table><thead><tr>${columns.map(name => html`<th scope="col">${visibleHtml(name, 120)}</th>`)}</tr></thead><tbody>${firstRows.map(
      row =>
        html`<tr>${columns.map(name => html`<td${attributes({ class: widthOf(row[name]) })}>${cell(row, name)}</td>`)}</tr>`,
    )}</tbody></table></div>${rows.length > firstRows.length && html`<p class="json-size">${texts.json.more(rows.length - firstRows.length)}</p>`}`;
  }
}

/** The tree of a value; of a very large one, the beginning. */
export const jsonTree = (value: unknown): Html => html`<ul class="json">${new Tree().node(undefined, value, 0)}</ul>`;
