import { Button, Textarea, TextInput } from '@mantine/core';
import { IconCheck, IconLink, IconServer, IconWorld } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, type RefObject, Suspense, useEffect, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useRefusal } from '../api/use-refusal.ts';
import type { Campaign } from '../campaigns/campaign.ts';
import { useRelays } from '../mailbox/relays.ts';
import { LinkButton } from '../parts/link-button.tsx';
import { Page } from '../parts/states.tsx';
import { SampleCard } from '../sample/lazy.ts';
import { useMe, useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useSettled } from '../shell/use-settled.ts';
import { useWords } from '../words/words.tsx';
import { addressesIn, addUnknown } from './add-people.ts';
import { ensureEveryone, findEveryone } from './everyone.ts';
import './first-steps.css';

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
          >
            {mayEdit && people === 0 && <PeopleForm isNext={next === 1} act={act} />}
          </Step>
          <Step
            number={3}
            isDone={done[2]!}
            isNext={next === 2}
            hasActed={hasActed}
            title={overview.write.title}
            text={draft ? overview.write.done(draft.parameters.name) : overview.write.text}
            action={
              mayEdit &&
              !toDraft && (
                <LinkButton
                  to="/$site/campaigns/new"
                  params={{ site: site.name }}
                  variant={next === 2 ? 'filled' : 'default'}
                >
                  {overview.write.button}
                </LinkButton>
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
                <LinkButton {...toDraft} variant={next === 3 ? 'filled' : 'default'}>
                  {overview.send.button}
                </LinkButton>
              )
            }
          />
        </ol>
        <div className="stack">
          <BeforeRealMail />
          {isSettled && (
            <Suspense>
              <SampleCard />
            </Suspense>
          )}
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

interface FormProps {
  readonly isNext: boolean;
  /** Called once the step is done, before its form is removed. */
  readonly act: () => void;
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

function Step({ number, isDone, isNext, hasActed, title, text, action, children }: StepProps) {
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
      <div className="grow">
        <h2>{title}</h2>
        <p className="small text-2">{text}</p>
        {children}
      </div>
      {action}
    </li>
  );
}

/** Looks of the footer: as wide as the plain message, and small. */
const footerStyle =
  'max-width:600px;margin:0 auto;padding:0 24px 24px;font:12px/18px sans-serif;color:#57534c';

/** Name and addresses of the sender, filled in with suggestions. */
function SenderForm({ isNext, act }: FormProps) {
  const { words, language } = useWords();
  const { sender } = words.overview;
  const site = useSite();
  const { user } = useMe();
  const refusal = useRefusal();
  const queries = useQueryClient();
  const domain = user.email.includes('.') ? user.email.split('@')[1] : `${site.name}.example`;
  const [name, setName] = useState(site.name.charAt(0).toUpperCase() + site.name.slice(1));
  const [address, setAddress] = useState(`news@${domain}`);
  const [replies, setReplies] = useState(`hello@${domain}`);
  const [failure, setFailure] = useState<string>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await dataOf(
        api.POST('/v1/{idsite}/sending-configurations', {
          params: { path: { idsite: site.name } },
          body: {
            name: sender.configuration,
            senderEMail: address,
            senderAlias: name,
            responseEMail: replies,
            responseAlias: name,
            footerHtml: `<p style="${footerStyle}">${sender.footer} <a href="[[LINK.UNSUB]]">${sender.unsubscribe}</a></p>`,
            footerTxt: `\n\n${sender.footer}\n${sender.unsubscribe}: [[LINK.UNSUB]]`,
            pageLanguage: language,
          },
        }),
      );
      act();
      await queries.invalidateQueries({ queryKey: ['sending-configurations', site.name] });
    } catch (error) {
      setFailure(refusal(error));
    }
  };
  return (
    <form className="step-form" onSubmit={(event) => void submit(event)}>
      <div className="thirds">
        <TextInput
          label={sender.name}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          type="email"
          required
          withAsterisk={false}
          label={sender.address}
          value={address}
          error={failure}
          onChange={(event) => setAddress(event.currentTarget.value)}
        />
        <TextInput
          type="email"
          required
          withAsterisk={false}
          label={sender.replies}
          value={replies}
          onChange={(event) => setReplies(event.currentTarget.value)}
        />
      </div>
      <Button type="submit" variant={isNext ? 'filled' : 'default'}>
        {sender.keep}
      </Button>
    </form>
  );
}

/** A field for addresses; adding them also makes the target of all subscribed people. */
function PeopleForm({ isNext, act }: FormProps) {
  const { words, format } = useWords();
  const { people } = words.overview;
  const site = useSite();
  const refusal = useRefusal();
  const queries = useQueryClient();
  const [text, setText] = useState('');
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const fail = (what: string) => {
    setFailure(what);
    field.current?.focus();
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const addresses = addressesIn(text);
    if (addresses.length === 0) return fail(people.none);
    setBusy(true);
    try {
      const { count, left, refusal: refused } = await addUnknown(site.name, addresses, people.origin);
      if (count > 0)
        toast({ text: people.added(words.campaigns.people(format.count(count), format.isOne(count))) });
      if (refused) {
        // The step stays open with what is left, the refused address first.
        setText(left.join('\n'));
        const rule = refused.status === 400 ? words.errors.rules.email('') : refusal(refused);
        return fail(words.shell.labelled(left[0]!, rule));
      }
      await ensureEveryone(site.name, people.target);
      act();
      await queries.invalidateQueries({ queryKey: ['everyone', site.name] });
    } catch (error) {
      fail(refusal(error));
    } finally {
      setBusy(false);
    }
  };
  return (
    <form className="step-form" onSubmit={(event) => void submit(event)}>
      <Textarea
        ref={field}
        label={people.addresses}
        rows={3}
        spellCheck={false}
        value={text}
        error={failure}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Button type="submit" variant={isNext ? 'filled' : 'default'} loading={isBusy}>
        {people.add}
      </Button>
    </form>
  );
}

/** What messages to the outside need. Only an administrator can see the relays. */
function BeforeRealMail() {
  const { words } = useWords();
  const { real } = words.overview;
  const routes = useRelays();
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
            <span className="text-3">{location.origin}</span>
          </span>
        </li>
      </ul>
    </aside>
  );
}
