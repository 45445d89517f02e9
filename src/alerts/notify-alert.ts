import { sendSiteNotice } from '../accounts/site-notice.ts';
import { emailsOfAdministrators } from '../accounts/user-store.ts';
import type { App } from '../platform/app.ts';
import type { Notice } from '../platform/notice.ts';
import { task } from '../platform/tasks.ts';
import type { StoredAlert } from './alert.ts';
import { findAlert } from './alert-store.ts';
import { lockedLevel, rateOf, suspendedLevel } from './complaint-rate.ts';

/** Sends an alert to the site's administrators; after a kill perhaps again, with the same Message-ID. */
export const notifyAlert = task<{ idSite: number; id: string; level: number }>({
  name: 'tellAlert',
  async run(app, { idSite, id, level }) {
    const alert = await findAlert(app.control, idSite, id);
    // A level that no longer holds would alarm its readers without a reason.
    if (!alert || alert.level !== level || alert.endedAt !== null) return;
    const to = await emailsOfAdministrators(app.control, idSite, app.clock.now());
    if (to.length === 0) {
      app.log.warn({ idSite, id, level }, 'alert not notified: the site has no administrator');
      return;
    }
    await sendSiteNotice(app, idSite, { to, ...noticeOf(app, alert) });
  },
});

function noticeOf(app: App, alert: StoredAlert): Omit<Notice, 'to'> {
  const { idSendingGroupRemoval: id, siteName: site, groupName: senderDomain, faiName: provider } = alert;
  const { level, nbHours: hours, nbSent, nbComplaints } = alert;
  const isSuspended = level >= suspendedLevel;
  const rate = `${Math.round(rateOf(alert) * 100) / 100} %`;
  const lines = [
    `${nbComplaints} of ${nbSent} messages (${rate}) from ${senderDomain} that ${provider} accepted in the last ` +
      `${hours === 1 ? 'hour' : `${hours} hours`} were reported as spam.`,
    '',
    ...(isSuspended
      ? [
          `Messages of ${site} from ${senderDomain} to ${provider} now wait. Other providers are not affected.`,
        ]
      : [`Nothing is suspended yet. A higher rate suspends messages from ${senderDomain} to ${provider}.`]),
    ...(level === lockedLevel
      ? [
          'Find out why people complain, and stop the campaign or change its target. Then unlock the alert: sending ' +
            'resumes one hour later.',
          `POST ${app.publicUrl}/v1/${site}/alerts/${id}/unlock`,
        ]
      : level === suspendedLevel
        ? ['Sending resumes automatically when the rate of the last hour falls.']
        : []),
    '',
    `Alert ${id}`,
  ];
  return {
    subject: `${isSuspended ? 'Sending suspended' : 'Warning'}: complaints at ${provider} (${site})`,
    text: `${lines.join('\n')}\n`,
    id: `alert-${id}-${level}`,
  };
}
