import { Button, TextInput } from '@mantine/core';
import { IconCircleX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Failed } from '../parts/states.tsx';
import { useFormDraft } from '../parts/use-form-draft.ts';
import { useMe, useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useFields } from '../subscribers/fields.ts';
import { useWords } from '../words/words.tsx';
import { audienceOf } from './audience.tsx';
import type { Campaign } from './campaign.ts';
import { checklistQuery, countsQuery, segmentsQuery } from './campaign-query.ts';
import { type Finding, useFindingWords } from './finding-words.ts';
import { SendingDetails } from './sending-details.tsx';
import { useSentBefore } from './sent-before.tsx';
import { noteStart } from './start-times.ts';
import { useAskedVersion } from './use-asked-version.ts';
import { useUndoSending } from './use-undo-sending.ts';

/** By this share, a large audience may change between the question and the click. */
const toleratedShare = 0.001;
/** The number of people from which an audience is large. */
const largeFrom = 10_000;

interface ConfirmSendingProps extends Pick<ReviewProps, 'goTo'> {
  readonly campaign: Campaign;
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** Names how many people get the message, and sends it; afterwards a countdown offers to undo. */
export function ConfirmSending({ campaign, isOpen, close, goTo }: ConfirmSendingProps) {
  const { confirm } = useWords().words.composer;
  return (
    <Review
      campaign={campaign}
      isOpen={isOpen}
      close={close}
      goTo={goTo}
      title={(people) => confirm.title(campaign.parameters.name, people)}
    >
      {(audience, people) => (
        <Question campaign={campaign} audience={audience} people={people} close={close} />
      )}
    </Review>
  );
}

interface QuestionProps extends Pick<ConfirmSendingProps, 'campaign' | 'close'> {
  readonly audience: AskedAudience;
  readonly people: string;
}

/** Names what is sent, and when it was sent before. Starts over each time the dialog opens. */
function Question({ campaign, audience, people, close }: QuestionProps) {
  const { words, format } = useWords();
  const { confirm } = words.composer;
  const { settings } = useMe();
  const send = useSend(campaign);
  const version = useAskedVersion(campaign);
  const before = useSentBefore(campaign);
  const isPlanned = useIsPlanned(campaign);
  const failed = [version.read, before].filter(({ isError, isFetching }) => isError && !isFetching);
  const stillHolds = async () => {
    const found = await Promise.all([audience.stillHolds(), version.stillHolds()]);
    return found.every(Boolean);
  };
  const sent = before.data;
  return (
    <Confirmation
      audience={{ ...audience, stillHolds }}
      isReady={version.asked !== undefined && sent !== undefined}
      text={confirm.text(format.length(settings.sendDelayInSeconds))}
      label={confirm.send(people)}
      act={() => send(people, sent?.idJob)}
      close={close}
    >
      {failed[0] && (
        <Failed
          error={failed[0].error}
          retry={() => {
            for (const one of failed) void one.refetch();
          }}
        />
      )}
      {isPlanned && <p className="note amber">{confirm.leavesDates}</p>}
      {sent && (
        <p className="note amber">
          {confirm.sentBefore(
            sent.startDate ? format.day(sent.startDate) : '…',
            words.campaigns.people(format.count(sent.nbAddressSent), format.isOne(sent.nbAddressSent)),
          )}
        </p>
      )}
      <SendingDetails
        campaign={campaign}
        version={version}
        count={audience.count}
        startsIn={settings.sendDelayInSeconds}
      />
    </Confirmation>
  );
}

/** Whether the user has typed dates into the form of the schedule and not stored them. */
function useIsPlanned({ id }: Campaign): boolean {
  const draft = useFormDraft('schedule', id);
  const [way] = draft.field('way', 'dates');
  return way !== 'now' && ['dates', 'rule'].some((field) => draft.began(field) !== undefined);
}

/** The number of people that the user is asked about. */
export interface AskedAudience {
  /** Undefined until it is counted. */
  readonly count: number | undefined;
  /** Whether another number was asked about before. */
  readonly hasChanged: boolean;
  /** Counts again; whether the number still holds. If not, the new one is asked about. */
  readonly stillHolds: () => Promise<boolean>;
}

interface ReviewProps {
  readonly campaign: Campaign;
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly title: (people: string) => string;
  /** Leads to the place where a finding is put right; null if there is none. Default: the composer of the campaign. */
  readonly goTo?: ((finding: Finding) => void) | null | undefined;
  /** The confirmation, from the audience and the words for its number. */
  readonly children: (audience: AskedAudience, people: string) => ReactNode;
}

/** Whether what was confirmed for so many people holds for the number of now. */
const isAlike = (asked: number, now: number): boolean =>
  now > 0 && Math.abs(now - asked) <= (asked < largeFrom ? 0 : asked * toleratedShare);

/** A dialog that counts the audience and asks for confirmation, or names what the campaign still needs. */
export function Review({ campaign, isOpen, close, title, goTo, children }: ReviewProps) {
  const { words, format } = useWords();
  const site = useSite();
  // Counted when it opens. The number stays until the click, also when other screens have the audience counted.
  const fresh = { enabled: isOpen, staleTime: 0 };
  const segments = useQuery({ ...segmentsQuery(site.name, campaign.id), ...fresh });
  const counts = useQuery({ ...countsQuery(site.name, campaign.id), ...fresh });
  const [turn, setTurn] = useState({ isOpen: false, at: 0 });
  const [asked, setAsked] = useState<{ count: number; hasChanged: boolean }>();
  const isCounted = [segments, counts].every((one) => one.isSuccess && one.dataUpdatedAt >= turn.at);
  if (turn.isOpen !== isOpen) {
    setTurn({ isOpen, at: Date.now() });
    if (isOpen) setAsked(undefined);
  } else if (isOpen && !asked && isCounted) {
    setAsked({ count: audienceOf(segments.data ?? [], counts.data ?? []), hasChanged: false });
  }
  const checklist = useQuery({ ...checklistQuery(site.name, campaign.id), enabled: isOpen });
  const failed = [segments, counts, checklist].filter(({ isError, isFetching }) => isError && !isFetching);
  const count = asked?.count;
  const people = count === undefined ? '…' : words.campaigns.people(format.count(count), format.isOne(count));
  const stillHolds = async () => {
    const options = { throwOnError: true };
    const [first, second] = await Promise.all([segments.refetch(options), counts.refetch(options)]);
    const now = audienceOf(first.data ?? [], second.data ?? []);
    if (count !== undefined && isAlike(count, now)) return true;
    setAsked({ count: now, hasChanged: true });
    return false;
  };
  return (
    <Dialog isOpen={isOpen} close={close} title={title(people)}>
      {failed[0] && (
        <Failed
          error={failed[0].error}
          retry={() => {
            for (const one of failed) void one.refetch();
          }}
        />
      )}
      {checklist.data && !checklist.data.isCampaignReady ? (
        <NotReady campaign={campaign} checklist={checklist.data} close={close} goTo={goTo} />
      ) : (
        children({ count, hasChanged: asked?.hasChanged ?? false, stillHolds }, people)
      )}
    </Dialog>
  );
}

interface NotReadyProps extends Pick<ReviewProps, 'campaign' | 'close' | 'goTo'> {
  readonly checklist: components['schemas']['Checklist'];
}

/** The missing items of the campaign; each leads to the place where it is put right. */
function NotReady({ campaign, checklist, close, goTo }: NotReadyProps) {
  const { words } = useWords();
  const site = useSite();
  const navigate = useNavigate();
  const wordsOf = useFindingWords(useFields().data ?? []);
  const missing = checklist.findings.filter(({ isProblem }) => isProblem);
  const toComposer = () =>
    void navigate({
      ...{ to: '/$site/campaigns/$idCampaign' },
      params: { site: site.name, idCampaign: String(campaign.id) },
    });
  return (
    <div className="stack tight">
      <p className="pill red" style={{ justifySelf: 'start' }}>
        {words.composer.missing(missing.length)}
      </p>
      <ul className="checks">
        {missing.map((finding) => {
          const { title, detail, lang } = wordsOf(finding);
          const text = (
            <>
              <b className="strong">{title}</b>
              {detail !== '' && <span className="text-2">{detail}</span>}
            </>
          );
          const lead = () => {
            close();
            (goTo ?? toComposer)(finding);
          };
          return (
            <li key={finding.text}>
              <IconCircleX size={16} className="red" aria-hidden />
              {goTo === null ? (
                <span className="check" lang={lang}>
                  {text}
                </span>
              ) : (
                <button type="button" className="check" lang={lang} onClick={lead}>
                  {text}
                </button>
              )}
            </li>
          );
        })}
      </ul>
      <Button data-autofocus onClick={close} style={{ justifySelf: 'end' }}>
        {words.composer.confirm.back}
      </Button>
    </div>
  );
}

interface ConfirmationProps {
  readonly audience: AskedAudience;
  readonly text: string;
  /** Whether everything that is asked about is known. Default: true. */
  readonly isReady?: boolean;
  /** The label of the button. */
  readonly label: string;
  readonly act: () => Promise<void>;
  readonly close: () => void;
  readonly children: ReactNode;
}

/** The effect of the confirmation, a field for the number of people if they are many, and the button. */
export function Confirmation(props: ConfirmationProps) {
  const { text, isReady = true, label, act, close, children } = props;
  const { count, hasChanged, stillHolds } = props.audience;
  const { words, format } = useWords();
  const { confirm } = words.composer;
  const { typedConfirmationFrom } = useSite();
  const refusal = useRefusal();
  const [typed, setTyped] = useState('');
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const mustType = count !== undefined && typedConfirmationFrom > 0 && count >= typedConfirmationFrom;
  const isConfirmed = count !== undefined && count > 0 && (!mustType || digits(typed) === String(count));
  const onConfirm = async () => {
    setBusy(true);
    try {
      setFailure(undefined);
      if (!(await stillHolds())) return;
      await act();
      close();
    } catch (error) {
      setFailure(refusal(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <div className="stack tight">
      <p className="small text-2">{count === 0 ? confirm.nobody : text}</p>
      {children}
      {hasChanged && count !== undefined && (
        <p className="note amber" role="alert">
          {confirm.changed(words.campaigns.people(format.count(count), format.isOne(count)))}
        </p>
      )}
      {mustType && (
        <TextInput
          label={confirm.field}
          placeholder={format.count(count)}
          inputMode="numeric"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      {failure && (
        <p className="note red" role="alert">
          {failure}
        </p>
      )}
      <div className="row dialog-acts">
        <Button data-autofocus onClick={close}>
          {confirm.back}
        </Button>
        <Button
          variant="filled"
          disabled={!isConfirmed || !isReady}
          loading={isBusy}
          onClick={() => void onConfirm()}
        >
          {label}
        </Button>
      </div>
    </div>
  );
}

const digits = (text: string) => text.replaceAll(/\D/g, '');

/** Has the campaign sent, and offers to undo until it starts. */
function useSend(campaign: Campaign): (people: string, afterJob: number | undefined) => Promise<void> {
  const { words } = useWords();
  const site = useSite();
  const { settings } = useMe();
  const queries = useQueryClient();
  const undo = useUndoSending(campaign);
  return async (people, afterJob) => {
    await dataOf(
      api.POST('/v1/{idsite}/campaigns/send-now', {
        params: { path: { idsite: site.name }, query: afterJob === undefined ? {} : { afterJob } },
        body: campaign.id,
      }),
    );
    noteStart(site.name, campaign.id, Date.now() + settings.sendDelayInSeconds * 1000);
    toast({
      text: (seconds) => words.composer.countdown(campaign.parameters.name, people, seconds),
      seconds: settings.sendDelayInSeconds,
      undo,
    });
    await queries.invalidateQueries({ queryKey: ['campaigns', site.name] });
  };
}
