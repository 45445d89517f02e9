import { Modal, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { useBackCloses } from '../parts/back-closes.ts';
import { plainText } from '../parts/plain-text.ts';
import { densities, themes, usePreferences } from '../session/preferences.ts';
import { useMe, useSite } from '../session/session.tsx';
import { useSignOut } from '../session/use-sign-out.ts';
import { fieldIds } from '../subscribers/fields.ts';
import { addressOf } from '../subscribers/subscriber.ts';
import { useWords } from '../words/words.tsx';
import { languages } from './menus.tsx';
import { placesFor } from './places.ts';
import { useSubScreens } from './sub-screens.ts';
import { useOpened } from './use-opened.ts';

/** Something that the palette can do or open. */
interface Choice {
  readonly group: string;
  readonly name: string;
  readonly run: () => void;
}

interface PaletteProps {
  readonly isOpen: boolean;
  readonly close: () => void;
  readonly openKeys: () => void;
}

/** The field behind Ctrl-K: screens, actions, sites, campaigns, targets and people by a part of their name. */
export function Palette(props: PaletteProps) {
  const { words } = useWords();
  const isOpened = useOpened(props.isOpen);
  useBackCloses(isOpened, props.close);
  return (
    <Modal
      className="palette"
      opened={isOpened}
      onClose={props.close}
      withCloseButton={false}
      centered={false}
      padding={8}
      yOffset="12vh"
      zIndex={30}
      attributes={{ content: { 'aria-label': words.shell.search } }}
      transitionProps={{ duration: 0 }}
    >
      <Search {...props} />
    </Modal>
  );
}

function Search({ close, openKeys }: PaletteProps) {
  const { words } = useWords();
  const [text, setText] = useState('');
  const [current, setCurrent] = useState(0);
  const { choices, isLate } = useChoices(text, openKeys);
  /** Whether Enter was pressed before it was known what the text finds. */
  const [isAwaited, setAwaited] = useState(false);
  const list = useId();
  const options = useRef<HTMLDivElement>(null);
  const chosen = Math.min(current, choices.length - 1);
  useEffect(() => {
    options.current?.children[chosen]?.scrollIntoView({ block: 'nearest' });
  }, [chosen]);
  const run = (choice: Choice | undefined) => {
    if (!choice) return;
    close();
    choice.run();
  };
  useEffect(() => {
    if (!isAwaited || isLate) return;
    setAwaited(false);
    run(choices[0]);
  });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setCurrent((chosen + step + choices.length) % choices.length || 0);
    else if (event.key === 'Enter' && isLate && chosen <= 0) setAwaited(true);
    else if (event.key === 'Enter') run(choices[chosen]);
    else return;
    event.preventDefault();
  };
  return (
    <>
      <TextInput
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={choices[chosen] ? `${list}-${chosen}` : undefined}
        aria-label={words.shell.search}
        placeholder={words.shell.searchHint}
        leftSection={<IconSearch size={16} aria-hidden />}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setCurrent(0);
          setAwaited(false);
        }}
        onKeyDown={onKeyDown}
      />
      <div
        ref={options}
        id={list}
        role="listbox"
        aria-label={words.shell.search}
        style={{ marginTop: 8, maxHeight: '50vh', overflowY: 'auto' }}
      >
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard chooses by the field above
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
          <div
            key={`${choice.group} ${choice.name}`}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className="list-option"
            onMouseMove={() => setCurrent(index)}
            onClick={() => run(choice)}
          >
            <span className="cut">{choice.name}</span>
            <span className="aside">{choice.group}</span>
          </div>
        ))}
      </div>
      {choices.length === 0 && (
        <p className="small text-2" style={{ padding: '4px 12px 10px' }}>
          {words.shell.nothing(text)}
        </p>
      )}
    </>
  );
}

/** What the text finds. @returns also whether the first choice may still change: records belong to an earlier text */
function useChoices(text: string, openKeys: () => void) {
  const fixed = useFixedChoices(openKeys);
  const records = useRecordChoices(text);
  const subScreens = useSubScreenChoices();
  const wanted = plainText(text.trim());
  // Without a text, the list is short: the navigation leads to the other screens.
  const offered = wanted === '' ? fixed : [...fixed, ...subScreens];
  const found = offered.filter(({ name, group }) => plainText(`${name} ${group}`).includes(wanted));
  return { choices: [...found, ...records.choices], isLate: found.length === 0 && records.isLate };
}

function useFixedChoices(openKeys: () => void): readonly Choice[] {
  const { words, setLanguage } = useWords();
  const { groups, places } = words.shell;
  const me = useMe();
  const site = useSite();
  const navigate = useNavigate();
  const [, change] = usePreferences();
  const signOut = useSignOut();
  const action = (name: string, run: () => void) => ({ group: groups.actions, name, run });
  return [
    ...placesFor(me).map(({ id, to }) => ({
      group: groups.places,
      name: places[id],
      run: () => void navigate({ to, params: { site: site.name } }),
    })),
    ...(site.may('editor')
      ? [
          action(
            words.shell.keys.newCampaign,
            () => void navigate({ to: '/$site/campaigns/new', params: { site: site.name } }),
          ),
        ]
      : []),
    action(
      words.overview.firstSteps,
      () => void navigate({ to: '/$site', params: { site: site.name }, search: { steps: true } }),
    ),
    ...themes.map((theme) =>
      action(`${words.shell.theme} · ${words.shell.themes[theme]}`, () => change({ theme })),
    ),
    ...densities.map((density) =>
      action(`${words.shell.density} · ${words.shell.densities[density]}`, () => change({ density })),
    ),
    ...languages.map(([code, name]) => action(name, () => setLanguage(code))),
    action(words.shell.allKeys, openKeys),
    action(words.session.signOut, signOut),
    ...me.sites
      .filter(({ name }) => name !== site.name)
      .map(({ name }) => ({
        group: groups.sites,
        name,
        run: () => void navigate({ to: '/$site', params: { site: name } }),
      })),
  ];
}

function useSubScreenChoices(): readonly Choice[] {
  const group = useWords().words.shell.groups.places;
  const site = useSite();
  const navigate = useNavigate();
  return useSubScreens().map(({ name, to }) => ({
    group,
    name,
    run: () => void navigate({ to, params: { site: site.name } }),
  }));
}

/** How many records of each kind are offered. */
const mostFound = 8;

/** Records that have a text, from `fewest` letters on. */
function useNamed<Found>(
  kind: 'campaigns' | 'targets' | 'subscribers',
  text: string,
  find: (wanted: string, idsite: string) => Promise<readonly Found[]>,
  fewest = 2,
): { readonly found: readonly Found[]; readonly isLate: boolean } {
  const site = useSite();
  const [wanted] = useDebouncedValue(text.trim(), 150);
  const { data, isFetching } = useQuery({
    queryKey: [kind, site.name, 'named', wanted],
    enabled: wanted.length >= fewest,
    placeholderData: keepPreviousData,
    queryFn: () => find(wanted, site.name),
  });
  const isLate = text.trim().length >= fewest && (text.trim() !== wanted || isFetching);
  return { found: wanted.length < fewest ? [] : (data ?? []), isLate };
}

const newestNamed = (wanted: string) =>
  ({
    'filter.name': wanted,
    'filter.limit': mostFound,
    'filter.sortBy': 'LastUpdateDate',
    'filter.order': 'DESC',
  }) as const;

async function findCampaigns(wanted: string, idsite: string) {
  const params = { path: { idsite }, query: newestNamed(wanted) };
  return (await dataOf(api.GET('/v1/{idsite}/campaigns', { params }))).items;
}

async function findTargets(wanted: string, idsite: string) {
  const query = { ...newestNamed(wanted), 'filter.location': 'All' as const };
  return (await dataOf(api.GET('/v1/{idsite}/targets', { params: { path: { idsite }, query } }))).items;
}

async function findPeople(search: string, idsite: string) {
  const query = { search, 'filter.idFields': [fieldIds.email] };
  const params = { path: { idsite }, query };
  const { subscribers } = await dataOf(api.GET('/v1/{idsite}/subscribers/search', { params }));
  return subscribers.slice(0, mostFound);
}

/** Campaigns, targets and people that have the text. */
function useRecordChoices(text: string): { readonly choices: readonly Choice[]; readonly isLate: boolean } {
  const { groups, places } = useWords().words.shell;
  const site = useSite();
  const navigate = useNavigate();
  const campaigns = useNamed('campaigns', text, findCampaigns);
  const targets = useNamed('targets', text, findTargets);
  // Fewer letters have the service read the subscribers one after the other.
  const people = useNamed('subscribers', text, findPeople, 3);
  const params = { site: site.name };
  const choices = [
    ...campaigns.found.map(({ id, parameters }) => ({
      group: groups.campaigns,
      name: `${parameters.name} · ${id}`,
      run: () =>
        void navigate({
          to: '/$site/campaigns/$idCampaign',
          params: { ...params, idCampaign: String(id) },
        }),
    })),
    ...targets.found.map(({ idTarget, name }) => ({
      group: places.targets,
      name: `${name} · ${idTarget}`,
      run: () =>
        void navigate({ to: '/$site/targets/$idTarget', params: { ...params, idTarget: String(idTarget) } }),
    })),
    ...people.found.map((person) => ({
      group: places.subscribers,
      name: `${addressOf(person)} · ${person.id}`,
      run: () =>
        void navigate({
          to: '/$site/subscribers/$idSubscriber',
          params: { ...params, idSubscriber: String(person.id) },
        }),
    })),
  ];
  // Records of a kind that comes later do not change the first choice.
  const first = [campaigns, targets, people].find(({ found, isLate }) => isLate || found.length > 0);
  return { choices, isLate: first?.isLate ?? false };
}
