/** The desk's client script: everything here adds to pages that work without it. */
import { startAges } from './ages.ts';
import { alertPerson, endAlert, startAlerts, startInstalled } from './alerts.ts';
import { announce } from './announce.ts';
import { startApps } from './apps.ts';
import { postToDesk, storeBase } from './base.ts';
import { startCompleting } from './complete.ts';
import { startCopy } from './copy.ts';
import { startDrafts } from './drafts.ts';
import { type PageEvent, startEvents } from './events.ts';
import { startFind } from './find.ts';
import { startFocus } from './focus.ts';
import { startFollowing } from './follow.ts';
import { startForms } from './forms.ts';
import { startKeys } from './keys.ts';
import { rememberBrowser } from './known.ts';
import { startLines } from './lines.ts';
import { startNumbers } from './numbers.ts';
import { refresh } from './page.ts';
import { startPalette } from './palette.ts';
import { startPreferences } from './prefer.ts';
import { presence, startPresence } from './presence.ts';
import { startPressed } from './pressed.ts';
import { startReveal } from './reveal.ts';
import { startRows } from './rows.ts';
import { startTeardown } from './teardown.ts';

function hear(heard: PageEvent): void {
  if (heard.type !== 'changed') {
    presence[heard.type]();
    return;
  }
  void refresh(heard.id, heard.page);
  if (heard.text === undefined) return;
  announce(heard.text);
  if (heard.alert) void alertPerson(heard.text, heard.asked);
  if (heard.ended !== undefined) void endAlert(heard.ended);
}

document.body.classList.add('scripted');
storeBase('midcall-desk');
if (document.body.dataset['remember'] === 'on')
  void rememberBrowser(async key => (await postToDesk('/browsers', key)).ok).catch(() => {});
startApps();
startForms();
startCompleting();
startLines();
startPressed();
startFocus();
startPresence();
startTeardown();
startReveal();
startRows();
startFind();
startPreferences();
startPalette();
startKeys();
startCopy();
startDrafts();
startAges();
startNumbers();
startAlerts();
startInstalled();
startFollowing();
startEvents(document.body.dataset['event'] ?? '0', hear, () => location.pathname + location.search);
