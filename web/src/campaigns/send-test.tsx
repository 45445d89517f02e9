import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useRelays } from '../mailbox/relays.ts';
import { Dialog } from '../parts/dialog.tsx';
import { LinkButton } from '../parts/link-button.tsx';
import { Failed } from '../parts/states.tsx';
import { useSite } from '../session/session.tsx';
import { addressOf } from '../subscribers/subscriber.ts';
import { allTargetsQuery, isForTests } from '../targets/all-targets.ts';
import { TargetChoice } from '../targets/target-choice.tsx';
import { useWords } from '../words/words.tsx';
import { campaignQuery, type ReadCampaign } from './campaign-query.ts';
import { changeParameter } from './change-parameter.ts';
import { NewTestTargetForm } from './new-test-target.tsx';
import { testersQuery } from './test-people.ts';

/** The choice that creates a target. */
const other = 'new';
const shownAddresses = 5;

interface SendTestProps {
  readonly campaign: ReadCampaign;
  readonly isOpen: boolean;
  readonly close: () => void;
}

/** Sends the campaign to the people of a test target, and reports how many they are. */
export function SendTest({ campaign, isOpen, close }: SendTestProps) {
  const { words } = useWords();
  return (
    <Dialog isOpen={isOpen} close={close} title={words.composer.test.title(campaign.parameters.name)}>
      <Test campaign={campaign} close={close} />
    </Dialog>
  );
}

/** Chooses the test target, then reports the test. Starts over each time the dialog opens. */
function Test({ campaign, close }: Omit<SendTestProps, 'isOpen'>) {
  const { words, format } = useWords();
  const { test } = words.composer;
  const site = useSite();
  const { data, error, refetch } = useQuery(allTargetsQuery(site.name));
  const targets = data?.items.filter(isForTests);
  const [chosen, setChosen] = useState<string>();
  const [created, setCreated] = useState<string>();
  const [sentTo, setSentTo] = useState<number>();
  if (sentTo !== undefined)
    return (
      <OnItsWay people={words.campaigns.people(format.count(sentTo), format.isOne(sentTo))} close={close} />
    );
  if (!targets && error) return <Failed error={error} retry={() => void refetch()} />;
  if (!targets) return <p className="small text-3">{words.shell.loading}</p>;
  const known = targets.find(({ idTarget }) => idTarget === campaign.parameters.idTestTarget) ?? targets[0];
  const choice = chosen ?? (known ? String(known.idTarget) : other);
  const onCreated = (idTarget: number) => {
    setChosen(String(idTarget));
    setCreated(String(idTarget));
  };
  return (
    <div className="stack tight">
      {targets.length === 0 ? (
        <p className="small text-2">{test.none}</p>
      ) : (
        <TargetChoice
          data-autofocus
          label={test.target}
          isChoice={isForTests}
          others={[{ value: other, label: test.other }]}
          value={choice}
          choose={(next) => {
            setChosen(next);
            setCreated(undefined);
          }}
        />
      )}
      {choice === other ? (
        <NewTestTargetForm onCreated={onCreated} close={close} />
      ) : (
        <Testers
          key={choice}
          campaign={campaign}
          idTarget={Number(choice)}
          nameOf={(id) => targets.find(({ idTarget }) => idTarget === id)?.name ?? String(id)}
          takesFocus={choice === created}
          // It stays the choice when another person's arrives.
          keep={() => setChosen(choice)}
          onSent={setSentTo}
          close={close}
        />
      )}
    </div>
  );
}

interface TestersProps {
  readonly campaign: ReadCampaign;
  readonly idTarget: number;
  readonly nameOf: (idTarget: number) => string;
  /** Whether the form that had the focus has just been replaced. */
  readonly takesFocus: boolean;
  readonly keep: () => void;
  readonly onSent: (people: number) => void;
  readonly close: () => void;
}

/** The people of the chosen target, and the button that sends to them. */
function Testers({ campaign, idTarget, nameOf, takesFocus, keep, onSent, close }: TestersProps) {
  const { words, format } = useWords();
  const { test, confirm } = words.composer;
  const site = useSite();
  const refusal = useRefusal();
  const send = useSendTest(campaign);
  const back = useFocus(takesFocus);
  // Read again each time: the number that is shown is the one of now.
  const testers = useQuery({ ...testersQuery(site.name, idTarget), staleTime: 0 });
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const found = testers.isFetching ? undefined : testers.data;
  const count = found?.length ?? 0;
  const people = found ? words.campaigns.people(format.count(count), format.isOne(count)) : '…';
  const onSend = async () => {
    setBusy(true);
    keep();
    try {
      const theirs = await send(idTarget);
      if (theirs === undefined) return onSent(count);
      setFailure(test.changed(nameOf(theirs)));
      setBusy(false);
    } catch (error) {
      setFailure(refusal(error));
      setBusy(false);
    }
  };
  return (
    <>
      {found && (
        <p className="small text-2" style={{ overflowWrap: 'anywhere' }}>
          {count === 0 ? test.nobody : addressesOf(found.map(addressOf), test.more)}
        </p>
      )}
      {testers.error && !testers.isFetching && (
        <Failed error={testers.error} retry={() => void testers.refetch()} />
      )}
      {failure && (
        <p className="note red" role="alert">
          {failure}
        </p>
      )}
      <div className="row dialog-acts">
        <Button ref={back} onClick={close}>
          {confirm.back}
        </Button>
        <Button variant="filled" disabled={count === 0} loading={isBusy} onClick={() => void onSend()}>
          {confirm.send(people)}
        </Button>
      </div>
    </>
  );
}

/** A button that gets the focus when it appears in place of what had it. */
function useFocus(takesFocus: boolean) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (takesFocus) button.current?.focus();
  }, [takesFocus]);
  return button;
}

/** The first addresses, and how many others there are. */
function addressesOf(addresses: readonly string[], more: (count: number) => string): string {
  const left = addresses.length - shownAddresses;
  return [...addresses.slice(0, shownAddresses), ...(left > 0 ? [more(left)] : [])].join(', ');
}

/**
 * Stores the test target of the campaign, and starts the test mailing. Returns another target instead, if another person
 * has chosen it in the meantime; the next call replaces it.
 */
function useSendTest(campaign: ReadCampaign): (idTarget: number) => Promise<number | undefined> {
  const site = useSite();
  const queries = useQueryClient();
  return async (idTarget) => {
    if (campaign.parameters.idTestTarget !== idTarget) {
      const outcome = await changeParameter(site.name, campaign, 'idTestTarget', idTarget);
      if (!outcome) return undefined;
      const { value, etag } = 'theirs' in outcome ? outcome.theirs : outcome.stored;
      queries.setQueryData<ReadCampaign>(
        campaignQuery(site.name, campaign.id).queryKey,
        (before) => before && { ...before, ...value, etag },
      );
      if ('theirs' in outcome) return value.parameters.idTestTarget ?? 0;
    }
    const params = { path: { idsite: site.name } };
    await dataOf(api.POST('/v1/{idsite}/campaigns/test-mailing', { params, body: campaign.id }));
    return undefined;
  };
}

/** The report of a test, with the way to its messages if the built-in mailbox catches them. */
function OnItsWay({ people, close }: { readonly people: string; readonly close: () => void }) {
  const { words } = useWords();
  const site = useSite();
  const relays = useRelays();
  const end = useFocus(true);
  return (
    <div className="stack tight">
      <p role="status">{words.composer.test.sent(people)}</p>
      <div className="row dialog-acts">
        {relays?.length === 0 && (
          <LinkButton to="/$site/mailbox" params={{ site: site.name }} search={{}}>
            {words.composer.test.toMailbox}
          </LinkButton>
        )}
        <Button ref={end} variant="filled" onClick={close}>
          {words.shell.close}
        </Button>
      </div>
    </div>
  );
}
