import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { isSameVersion, storeOver } from '../api/versions.ts';
import { keep, readKept } from '../parts/kept.ts';
import { useMe, useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import { campaignQuery, type ReadCampaign } from './campaign-query.ts';
import { type Content, contentOf, isSameContent, saveContent, saveSteps } from './content.ts';

/** How long after the last keystroke a draft saves itself. */
const quietMs = 2_000;
/** How long after a failure it retries: the connection or the session may be back. */
const retryMs = 5_000;

/** Content that could not be saved yet, as the browser keeps it, with the stored content that it began from. */
interface Kept {
  readonly content: Content;
  readonly stored: Content;
  /** The version of the stored content; an earlier version of the console kept none. */
  readonly etag?: string | undefined;
}

export interface Draft {
  readonly content: Content;
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  readonly savedAt: Date | undefined;
  /** When changes that another person saved were taken over, if that was after the last save. */
  readonly takenAt: Date | undefined;
  /** Why the last attempt to save failed. */
  readonly error: unknown;
  /** The campaign as another person saved it in the meantime. */
  readonly conflict: ReadCampaign | undefined;
  /** Whether changes of an earlier visit are shown. */
  readonly isRestored: boolean;
  change(part: Partial<Content>): void;
  /** Saves now; true if everything is stored. */
  save(): Promise<boolean>;
  /** Drops the user's changes. */
  discard(): void;
  /** Ends a conflict with the user's version. */
  overwrite(): Promise<boolean>;
}

type Status = Pick<Draft, 'isSaving' | 'savedAt' | 'takenAt' | 'error' | 'conflict'>;
const noStatus: Status = {
  isSaving: false,
  savedAt: undefined,
  takenAt: undefined,
  error: undefined,
  conflict: undefined,
};

/** Starts the tracking of new links; those that a user excepted stay untracked. The checklist shows a failure. */
async function trackNewLinks(idsite: string, idCampaign: number): Promise<void> {
  const params = { path: { idsite, idCampaign } };
  await dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}/tracked-links/default', { params })).catch(
    () => undefined,
  );
}

/** A change of the HTML that blocks did not make: it has the MJML of the stored one only if it is the same. */
const withMjml = (part: Partial<Content>, stored: Content): Partial<Content> =>
  part.html === undefined || part.mjml !== undefined
    ? part
    : { ...part, mjml: part.html === stored.html ? stored.mjml : '' };

/** Stores content over what it began from; returns the version of another person instead if they changed that. */
async function storeContent(
  idsite: string,
  mine: Content,
  known: { readonly content: Content; readonly campaign: ReadCampaign; readonly etag: string | undefined },
): Promise<{ readonly saved: ReadCampaign } | { readonly conflict: ReadCampaign }> {
  let found: ReadCampaign | undefined;
  const outcome = await storeOver<Content, ReadCampaign>({
    known: known.etag === undefined ? undefined : { value: known.content, etag: known.etag },
    read: async () => {
      found = await campaignQuery(idsite, known.campaign.id).queryFn();
      return { value: contentOf(found), etag: found.etag };
    },
    isSame: (theirs) => isSameContent(theirs, known.content),
    write: ({ value, etag }) => saveContent(idsite, { campaign: found ?? known.campaign, etag }, mine, value),
  });
  if (outcome && 'stored' in outcome) return { saved: outcome.stored };
  // The reply to an earlier attempt may have been lost.
  return isSameContent(contentOf(found!), mine) ? { saved: found! } : { conflict: found! };
}

/**
 * The content of a campaign while a user writes: it saves itself, survives a reload and a lost connection, and never
 * overwrites what another person saved.
 */
export function useDraft(campaign: ReadCampaign, isEditable: boolean): Draft {
  const site = useSite();
  const queries = useQueryClient();
  const key = `facteur.draft.${useMe().user.id}.${site.name}.${campaign.id}`;
  const [first] = useState(() => {
    const kept = isEditable ? readKept<Kept>(localStorage, key) : undefined;
    const stored = contentOf(campaign);
    if (!kept || isSameContent({ ...stored, ...kept.content }, stored))
      return { content: stored, stored, etag: campaign.etag };
    // What an earlier version of the console kept has fewer parts.
    return {
      content: { ...stored, ...kept.content },
      stored: { ...stored, ...kept.stored },
      etag: kept.etag,
    };
  });
  const [content, setContent] = useState(first.content);
  const [stored, setStored] = useState(first.stored);
  const [status, setStatus] = useState<Status>(noStatus);
  const [isRestored, setRestored] = useState(first.content !== first.stored);
  const isDirty = !isSameContent(content, stored);
  const etag = useRef(first.etag);
  const base = useRef(campaign);
  const latest = useRef({ content, stored });
  latest.current = { content, stored };
  const running = useRef<Promise<boolean>>(undefined);

  /** Takes a version of the campaign as the one that the user changes. */
  const adopt = useCallback((saved: ReadCampaign) => {
    etag.current = saved.etag;
    base.current = saved;
    latest.current = { ...latest.current, stored: contentOf(saved) };
    setStored(contentOf(saved));
  }, []);
  const settle = useCallback(
    (saved: ReadCampaign) => {
      queries.setQueryData(campaignQuery(site.name, campaign.id).queryKey, saved);
      adopt(saved);
    },
    [adopt, campaign.id, queries, site.name],
  );

  const store = useCallback(async (): Promise<boolean> => {
    const { content: mine, stored: known } = latest.current;
    if (isSameContent(mine, known)) return true;
    setStatus((before) => ({ ...before, isSaving: true }));
    try {
      for (const step of saveSteps(mine, known)) {
        const before = { content: latest.current.stored, campaign: base.current, etag: etag.current };
        const found = await storeContent(site.name, step, before);
        if ('conflict' in found) {
          setStatus((now) => ({ ...now, isSaving: false, conflict: found.conflict }));
          return false;
        }
        // What a screen began to read before the save is older.
        await queries.cancelQueries({ queryKey: campaignQuery(site.name, campaign.id).queryKey });
        settle(found.saved);
      }
      setStatus({ ...noStatus, savedAt: new Date() });
      setRestored(false);
      // The screen that would forget it may have been left.
      if (isSameContent(latest.current.content, latest.current.stored)) keep(localStorage, key, undefined);
      await trackNewLinks(site.name, campaign.id);
      await queries.invalidateQueries({ queryKey: ['campaign', site.name, campaign.id] });
      return true;
    } catch (error) {
      setStatus((before) => ({ ...before, isSaving: false, error }));
      return false;
    }
  }, [campaign.id, key, queries, settle, site.name]);

  const save = useCallback(async (): Promise<boolean> => {
    // One at a time: the second one saves what was typed during the first.
    await running.current;
    const attempt = store();
    running.current = attempt;
    return attempt;
  }, [store]);

  useEffect(() => {
    if (!isEditable) return;
    const kept: Kept | undefined = isDirty ? { content, stored, etag: etag.current } : undefined;
    keep(localStorage, key, kept);
    if (!isDirty || status.conflict) return;
    const timer = setTimeout(() => void save(), status.error === undefined ? quietMs : retryMs);
    return () => clearTimeout(timer);
  }, [content, isDirty, isEditable, key, save, status.conflict, status.error, stored]);

  useTakeOver(campaign, status.isSaving || status.conflict !== undefined, () => {
    // Just after a save, the screen still has the version before it.
    if (queries.getQueryData(campaignQuery(site.name, campaign.id).queryKey) !== campaign) return;
    if (isSameVersion(campaign.etag, etag.current ?? '')) return;
    const theirs = contentOf(campaign);
    const { content: mine, stored: known } = latest.current;
    const isStored = isSameContent(theirs, mine);
    if (!isStored && !isSameContent(mine, known)) return;
    adopt(campaign);
    if (isStored || isSameContent(theirs, known)) return;
    latest.current = { content: theirs, stored: theirs };
    setContent(theirs);
    setStatus({ ...noStatus, takenAt: new Date() });
    void queries.invalidateQueries({ queryKey: ['campaign', site.name, campaign.id] });
  });
  const leaving = useWords().words.composer.leftUnsaved(content.name);
  useSaveOnLeave(async (isLeft) => {
    const { content: mine, stored: known } = latest.current;
    if (!isEditable || status.conflict || isSameContent(mine, known)) return;
    const isStored = await save();
    if (!isLeft) return;
    if (isStored) void queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
    else toast({ text: leaving, seconds: 10 });
  });

  return {
    content,
    isDirty,
    ...status,
    isRestored: isRestored && isDirty,
    change(part) {
      setContent((before) => ({ ...before, ...withMjml(part, latest.current.stored) }));
    },
    save,
    discard: () => {
      const theirs = status.conflict ?? campaign;
      settle(theirs);
      setContent(contentOf(theirs));
      setRestored(false);
      setStatus((before) => ({ ...before, error: undefined, conflict: undefined }));
    },
    overwrite: () => {
      if (status.conflict) settle(status.conflict);
      setStatus((before) => ({ ...before, error: undefined, conflict: undefined }));
      return save();
    },
  };
}

/** Calls `take` for each version of a campaign that the screen reads, or when the save or conflict that blocks it ends. */
function useTakeOver(campaign: ReadCampaign, isBlocked: boolean, take: () => void): void {
  const latest = useRef(take);
  latest.current = take;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each version counts
  useEffect(() => {
    if (!isBlocked) latest.current();
  }, [campaign, isBlocked]);
}

/** Calls `save` when the tab is hidden, and when the screen is left. */
function useSaveOnLeave(save: (isLeft: boolean) => Promise<void>): void {
  const latest = useRef(save);
  latest.current = save;
  useEffect(() => {
    const onHidden = () => {
      if (document.visibilityState === 'hidden') void latest.current(false);
    };
    document.addEventListener('visibilitychange', onHidden);
    return () => {
      document.removeEventListener('visibilitychange', onHidden);
      void latest.current(true);
    };
  }, []);
}
