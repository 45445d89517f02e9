import { Button } from '@mantine/core';
import { IconCheck, IconLink, IconServer, IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { Campaign } from '../campaigns/campaign.ts';
import { useRelays } from '../mailbox/relays.ts';
import { Extra } from '../parts/extra.tsx';
import { LinkButton } from '../parts/link-button.tsx';
import { lazyPart } from '../parts/opened.tsx';
import { Page } from '../parts/states.tsx';
import { useIsPhone } from '../parts/use-is-phone.ts';
import { SampleCard } from '../sample/lazy.ts';
import { useMe, useSite } from '../session/session.tsx';
import { useSettled } from '../shell/use-settled.ts';
import { loadLaterWords, useWords } from '../words/words.tsx';
import { findEveryone } from './everyone.ts';
import { PeopleForm, SenderForm } from './first-forms.tsx';
import './first-steps.css';

const PeopleFile = lazyPart(async () => {
  await loadLaterWords();
  return (await import('./people-file.tsx')).PeopleFile;
});

/** The first sending configuration, or null. */
const senderOf = (idsite: string) => ({
  queryKey: ['sending-configurations', idsite, 'first'],
  queryFn: async () => {
    const query = { 'filter.sortBy': 'Id', 'filter.order': 'ASC', 'filter.limit': 1 } as const;
    const page = await dataOf(
      api.GET('/v1/{idsite}/sending-configurations', { params: { path: { idsite }, query } }),
    );
    return page.items[0]?.config ?? null;
  },
});

const everyoneOf = (idsite: string) => ({
  queryKey: ['everyone', idsite],
  queryFn: () => findEveryone(idsite),
});

/** The way from an empty site to a message that was read: each step is one card, in any order. */
export function FirstSteps({ draft, hide }: FirstStepsProps) {
  const { words, format } = useWords();
  const site = useSite();
  const isSettled = useSettled();
  const sender = useQuery(senderOf(site.name)).data;
  const everyone = useQuery(everyoneOf(site.name)).data;
  const people = everyone?.count ?? 0;
  const done = [Boolean(sender), people > 0, draft !== undefined, false];
  const next = done.indexOf(false);
  const { overview } = words;
  const toDraft = draft && {
    to: '/$site/campaigns/$idCampaign' as const,
    params: { site: site.name, idCampaign: String(draft.id) },
  };
  const mayEdit = site.may('editor');
  /** The way back into a finished step. */
  const again = (step: 'sender' | 'people' | 'write') => ({
    size: 'xs',
    'aria-label': words.shell.labelled(overview.write.open, overview[step].title),
    children: overview.write.open,
  });
  const hasActed = useRef(false);
  const act = () => {
    hasActed.current = true;
  };
  return (
    <Page
      title={overview.welcome(site.name)}
      sub={overview.steps(done.filter((one) => !one).length)}
      actions={<Button onClick={hide}>{overview.hideSteps}</Button>}
    >
      <div className="columns">
        <ol className="card first-steps">
          <Step
            number={1}
            isDone={done[0]!}
            isNext={next === 0}
            hasActed={hasActed}
            title={overview.sender.title}
            text={sender ? overview.sender.done(sender.senderEMail) : overview.sender.text}
            action={
              mayEdit &&
              sender && (
                <LinkButton to="/$site/settings/senders" params={{ site: site.name }} {...again('sender')} />
              )
            }
          >
            {mayEdit && sender === null && <SenderForm isNext={next === 0} act={act} />}
          </Step>
          <Step
            number={2}
            isDone={done[1]!}
            isNext={next === 1}
            hasActed={hasActed}
            title={overview.people.title}
            text={
              people > 0
                ? overview.people.done(words.campaigns.people(format.count(people), format.isOne(people)))
                : overview.people.text
            }
            action={
              people > 0 && (
                <LinkButton to="/$site/subscribers" params={{ site: site.name }} {...again('people')} />
              )
            }
          >
            {mayEdit && people === 0 && <PeopleForm isNext={next === 1} act={act} />}
            {mayEdit && people === 0 && isSettled && (
              <Extra>
                <PeopleFile />
              </Extra>
            )}
          </Step>
          <Step
            number={3}
            isDone={done[2]!}
            isNext={next === 2}
            hasActed={hasActed}
            title={overview.write.title}
            text={draft ? overview.write.done(draft.parameters.name) : overview.write.text}
            action={
              toDraft ? (
                <LinkButton {...toDraft} {...again('write')} />
              ) : (
                mayEdit && (
                  <LinkButton
                    to="/$site/campaigns/new"
                    params={{ site: site.name }}
                    variant={next === 2 ? 'filled' : 'default'}
                  >
                    {overview.write.button}
                  </LinkButton>
                )
              )
            }
          />
          <Step
            number={4}
            isDone={false}
            isNext={next === 3}
            hasActed={hasActed}
            title={overview.send.title}
            text={overview.send.text}
            action={
              toDraft && (
                <LinkButton {...toDraft} {...(next === 3 ? { variant: 'filled' } : { size: 'xs' })}>
                  {overview.send.button}
                </LinkButton>
              )
            }
          />
        </ol>
        <div className="stack">
          {isSettled && (
            <Extra>
              <SampleCard />
            </Extra>
          )}
          <BeforeRealMail />
        </div>
      </div>
      <p className="small text-3 for-keyboards">
        <kbd>?</kbd> {overview.keys[0]}, <kbd>Ctrl K</kbd> {overview.keys[1]}.
      </p>
    </Page>
  );
}

interface FirstStepsProps {
  readonly draft: Campaign | undefined;
  readonly hide: () => void;
}

interface StepProps {
  readonly number: number;
  readonly isDone: boolean;
  readonly isNext: boolean;
  /** Whether the user has done the step before, whose form had the focus. */
  readonly hasActed: RefObject<boolean>;
  readonly title: string;
  readonly text: string;
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** A step. On a phone, a later one is closed until it is opened. */
function Step({ number, isDone, isNext, hasActed, title, text, action, children }: StepProps) {
  const isClosed = useIsPhone() && !isDone && !isNext;
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!isNext || !hasActed.current) return;
    hasActed.current = false;
    item.current?.querySelector<HTMLElement>('textarea, input, a, button')?.focus();
  }, [isNext, hasActed]);
  return (
    <li
      ref={item}
      className={isDone ? 'done' : isNext ? 'next' : ''}
      aria-current={isNext ? 'step' : undefined}
    >
      <span className="step-number">{isDone ? <IconCheck size={14} stroke={2} aria-hidden /> : number}</span>
      {isClosed ? (
        <details className="grow">
          <summary>
            <h2>{title}</h2>
          </summary>
          <p className="small text-2">{text}</p>
          {children}
          {action}
        </details>
      ) : (
        <>
          <div className="grow">
            <h2>{title}</h2>
            <p className="small text-2">{text}</p>
            {children}
          </div>
          {action}
        </>
      )}
    </li>
  );
}

/** What messages to the outside need. Only an administrator can see the relays. */
function BeforeRealMail() {
  const { words } = useWords();
  const { real } = words.overview;
  const routes = useRelays();
  const { publicAddress } = useMe().settings;
  return (
    <aside className="card">
      <div className="card-head" style={{ paddingBottom: 2 }}>
        <h2>{real.title}</h2>
      </div>
      <ul className="card-body needs">
        {routes && (
          <li>
            <IconServer size={16} className="text-3" aria-hidden />
            <span>
              <span className="strong">{real.relay}</span>
              <span className="text-3">
                {routes.length === 0 ? real.noRelay : real.relays(routes.length)}
              </span>
            </span>
          </li>
        )}
        <li>
          <IconWorld size={16} className="text-3" aria-hidden />
          <span>
            <span className="strong">{real.domain}</span>
            <span className="text-3">{real.domainText}</span>
          </span>
        </li>
        <li>
          <IconLink size={16} className="text-3" aria-hidden />
          <span>
            <span className="strong">{real.address}</span>
            <span className="text-3">{publicAddress}</span>
          </span>
        </li>
      </ul>
    </aside>
  );
}
