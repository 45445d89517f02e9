import { createHash } from 'node:crypto';
import type { BounceClass } from '../activity/bounce.ts';
import { recordBounce } from '../activity/bounce-store.ts';
import { type Hit, type HitKind, hitKinds } from '../activity/hit.ts';
import { hitClasses } from '../activity/hit-class.ts';
import { addHits } from '../activity/hit-store.ts';
import { type HitPack, joinHits, packHit } from '../activity/packed-hits.ts';
import { settleBounce } from '../activity/receipt-store.ts';
import type { SiteDb } from '../platform/db/site-db.ts';

const at = new Date('2026-11-20T09:30:00Z');

/** A hit of a person at a desktop, changed as given. */
export function makeHit(idSent: number, idSubscriber: number, kind: HitKind, of: Partial<Hit> = {}): Hit {
  return {
    at,
    kind,
    class: hitClasses.human,
    rulesVersion: 1,
    isMobile: false,
    idSent,
    idSubscriber,
    idLink: kind === hitKinds.open ? null : 7,
    isViral: false,
    userAgent: 'Mail',
    address: '192.0.2.1',
    ...of,
  };
}

/** Hits in one pack. */
export const packHits = (hits: readonly Hit[]): HitPack => joinHits(hits.map(packHit));

/** Stores hits, unfolded. */
export async function makeHits(db: SiteDb, hits: readonly Hit[]): Promise<void> {
  await addHits(db, [packHits(hits)]);
}

/** Records a bounce; the same `text` again is the same report again. Whether it was new. */
export async function makeBounce(
  db: SiteDb,
  idSent: number,
  idSubscriber: number,
  of: BounceClass,
  text = '',
): Promise<boolean> {
  const digest = createHash('sha256').update(`${idSent} ${idSubscriber} ${of} ${text}`).digest();
  return db.transaction(async (tx) => {
    const bounce = { idSent, idSubscriber, class: of, status: '', diagnostic: text, at, digest };
    const isNew = await recordBounce(tx, bounce);
    await settleBounce(tx, idSent, idSubscriber);
    return isNew;
  });
}
