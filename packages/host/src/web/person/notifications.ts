/** Whether a person is told on their devices that a question waits. Pure. */
import { attributes, type Html, html } from '@midcall/core/page';
import { minute, visibleHtml } from '../html/index.ts';
import { personTexts } from '../texts/index.ts';
import type { PersonContent, PersonView } from './pages.ts';

/** A device on which a person is told. */
export interface NotifiedDevice {
  /** The SHA-256 of where it is reached, base64url. */
  readonly id: string;
  readonly name: string;
  /** When it was turned on, in milliseconds since the epoch. */
  readonly since: number;
  /** When it was told last. */
  readonly toldAt?: number;
  /** When it could not be reached, and why, since then. */
  readonly failedAt?: number;
  readonly failure?: string;
}

/** Notifications of one person. */
export interface PersonNotifications {
  /** The key that browsers subscribe with, base64url; undefined if the inbox has no address at which they can. */
  publicKey(): Promise<string | undefined>;
  /** Latest first. */
  devices(): Promise<readonly NotifiedDevice[]>;
  /**
   * @param subscription - JSON, as `PushSubscription.toJSON()` makes it
   * @returns why it is not taken, as a sentence
   */
  turnOn(subscription: string, name: string): Promise<string | undefined>;
  turnOff(device: string): Promise<void>;
  /** Notifies a device now. @returns why it could not be reached, as a sentence */
  test(device: string): Promise<string | undefined>;
}

/** The path of the page. */
export const notificationsPath = '/notifications' as const;

const browserNames = [
  ['Edge', /\bEdg/],
  ['Firefox', /\b(?:Firefox|FxiOS)\//],
  ['Chrome', /\b(?:Chrome|CriOS)\//],
  ['Safari', /\bSafari\//],
] as const;
const systems = [
  ['iPhone', /iPhone/],
  ['iPad', /iPad/],
  ['Android', /Android/],
  ['Windows', /Windows/],
  ['ChromeOS', /CrOS/],
  ['Mac', /Macintosh/],
  ['Linux', /Linux/],
] as const;

/** What to call a device, by what its browser says it is. */
export function deviceName(userAgent: string): string {
  const found = (names: readonly (readonly [string, RegExp])[]): string | undefined =>
    names.find(([, is]) => is.test(userAgent))?.[0];
  return personTexts.notifications.device(found(browserNames), found(systems));
}

/** What the page shows. */
export interface NotificationsShown {
  readonly publicKey: string | undefined;
  readonly devices: readonly NotifiedDevice[];
  /** What became of what was asked for. */
  readonly notice?: { readonly text: string; readonly isBad: boolean } | undefined;
}

const texts = personTexts.notifications;

function form(does: 'off' | 'test', label: string, device: string, { csrf, link }: PersonView): Html {
  return html`<form${attributes({ method: 'post', action: link(notificationsPath), 'data-push-off': does === 'off' && device })}><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="device" value="${device}"><button class="button small" name="does" value="${does}">${label}</button></form>`;
}

function entry(device: NotifiedDevice, view: PersonView): Html {
  const { id, name, since, toldAt, failedAt, failure } = device;
  const at = (moment: number): Html => minute(moment, view.now, view.zone);
  return html`<li class="panel device" data-device="${id}" data-key="d-${id}"><div><strong>${visibleHtml(name, 80)}</strong> <span class="chip" data-push-here hidden>${texts.here}</span><p class="quiet-text">${texts.since} ${at(since)}${toldAt !== undefined && html` · ${texts.told} ${at(toldAt)}`}</p>${failedAt !== undefined && html`<p class="bad">${texts.failed} ${at(failedAt)}. ${visibleHtml(failure ?? '', 300)}</p>`}</div><div class="device-actions">${form('test', texts.test, id, view)}${form('off', texts.off, id, view)}</div></li>`;
}

const onThisDevice = (publicKey: string, { csrf, link }: PersonView): Html => {
  const is = (state: string, content: Html): Html => html`<div data-push-is="${state}" hidden>${content}</div>`;
  const said = (lines: readonly string[]): Html => html`${lines.map(line => html`<p>${line}</p>`)}`;
  return html`${is('on', said(texts.isOn))}${is(
    'off',
    html`${said(texts.isOff)}<form method="post" action="${link(notificationsPath)}" data-push-on="${publicKey}"><input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="does" value="on"><input type="hidden" name="subscription" value=""><button type="button" class="button primary" data-push-begin>${texts.on}</button></form><p class="bad" role="alert" data-push-failed hidden>${texts.notSubscribed}</p>`,
  )}${is('blocked', said(texts.blocked))}${is('home-screen', said(texts.homeScreen))}${is('unsupported', said(texts.unsupported))}<noscript><p>${texts.needsScript}</p></noscript>`;
};

export function notificationsPage({ publicKey, devices, notice }: NotificationsShown, view: PersonView): PersonContent {
  return {
    title: texts.title,
    at: notificationsPath,
    main: html`<div class="head"><h1>${texts.title}</h1></div><p class="lead">${texts.lead}</p><p${attributes({ class: notice?.isBad ? 'notice bad' : 'notice', id: 'told', role: 'status', hidden: !notice, 'data-stays': true })}>${notice && visibleHtml(notice.text, 600)}</p><section class="notifications" data-push><div class="panel this-device">${
      publicKey === undefined
        ? html`${texts.noAddress.map(line => html`<p>${line}</p>`)}`
        : onThisDevice(publicKey, view)
    }</div>${devices.length > 0 && html`<h2>${texts.devices}</h2><ul class="device-list" data-key="devices">${devices.map(each => entry(each, view))}</ul>`}</section>`,
  };
}
