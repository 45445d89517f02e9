import { findUser } from '../../accounts/user-store.ts';
import { siteOperation } from '../../platform/http/operation.ts';
import { conflict, found } from '../../platform/http/refusal.ts';
import { Alert, AlertParams, showAlert } from '../alert.ts';
import { engageAlert, findAlert } from '../alert-store.ts';
import { lockedLevel } from '../complaint-rate.ts';

/** Sending resumes so long after an unlock: time to stop or change what is scheduled. */
const resumesAfterMs = 3_600_000;

export const unlockAlert = siteOperation({
  id: 'unlockAlert',
  method: 'POST',
  path: '/alerts/{id}/unlock',
  right: 'send',
  tag: 'Alerts',
  summary: 'Unlock a pre-blocking alert of level 3',
  description:
    'Confirms that the cause of the complaints is removed. The alert keeps who confirmed it and when. Sending ' +
    'resumes at `scheduledActivationDate`, one hour later; complaints are then counted from zero. A repeated ' +
    'call changes nothing.',
  params: AlertParams,
  reply: Alert,
  refusals: [409],
  async handle({ app, db, params, caller, now }) {
    const idSite = db.site.id;
    const alert = found(await findAlert(app.control, idSite, params.id), 'Alert');
    if (alert.level < lockedLevel)
      throw conflict(`The alert has level ${alert.level}: it ends automatically when the rate falls`);
    if (alert.endedAt !== null && alert.engagedAt === null) throw conflict('The alert has ended');
    // A token outlives no user.
    const by = (await findUser(app.control, caller.idUser))!.email;
    const activatesAt = new Date(now.getTime() + resumesAfterMs);
    await engageAlert(app.control, { idSite, id: params.id }, { by, at: now, activatesAt });
    return showAlert((await findAlert(app.control, idSite, params.id))!, now);
  },
});
