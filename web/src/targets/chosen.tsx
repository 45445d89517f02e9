import { MultiSelect, TagsInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { isNotFound } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { useSearchable } from '../parts/searchable.ts';
import { useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { usePart } from './sentence.tsx';

interface Choice {
  readonly value: string;
  readonly label: string;
}

interface ChosenProps {
  readonly member: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly choices: readonly Choice[];
  readonly chosen: readonly string[];
  readonly set: (chosen: string[]) => void;
  /** Called with the typed text where the service finds the choices. */
  readonly search?: (text: string) => void;
  /** Whether what is listed belongs to an earlier text. Default: false. */
  readonly isBusy?: boolean;
}

/** A part of a sentence that is several of a list. What is chosen and no longer listed stays, by its number. */
export function Chosen({
  member,
  label,
  placeholder,
  choices,
  chosen,
  set,
  search,
  isBusy = false,
}: ChosenProps) {
  const part = usePart(member);
  const searchable = useSearchable();
  const isRejected = part['aria-invalid'] === true;
  const unknown = chosen.filter((value) => !choices.some((one) => one.value === value));
  return (
    <MultiSelect
      className="chosen"
      {...part}
      error={isRejected}
      aria-label={label}
      placeholder={chosen.length === 0 ? placeholder : undefined}
      {...searchable}
      {...(isBusy && { 'aria-busy': true, nothingFoundMessage: undefined })}
      onSearchChange={search}
      maxDropdownHeight={280}
      data={[...choices, ...unknown.map((value) => ({ value, label: `#${value}` }))]}
      value={[...chosen]}
      onChange={set}
    />
  );
}

/** The parts of a list `1;2`, as the API writes ids. */
export const partsOf = (list: string | null | undefined): string[] =>
  (list ?? '').split(';').flatMap((part) => part.trim() || []);

interface IdsProps {
  readonly member: string;
  readonly ids: string | null | undefined;
  readonly set: (ids: string) => void;
}

/** The campaigns of a filter, found by a part of their name. */
export function ChosenCampaigns({ member, ids, set }: IdsProps) {
  const { words } = useWords();
  const site = useSite();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 150);
  const chosen = partsOf(ids);
  const params = { path: { idsite: site.name } };
  const found = useQuery({
    queryKey: ['campaigns', site.name, 'choices', search],
    placeholderData: keepPreviousData,
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/campaigns', {
          params: {
            ...params,
            query: {
              'filter.sortBy': 'Id',
              'filter.order': 'DESC',
              'filter.limit': 100,
              ...(search !== '' && { 'filter.name': search }),
            },
          },
        }),
      ),
  });
  const listed = (found.data?.items ?? []).map(({ id, parameters }) => ({
    value: String(id),
    label: parameters.name,
  }));
  const missing = found.data ? chosen.filter((id) => !listed.some(({ value }) => value === id)) : [];
  const named = useQuery({
    queryKey: ['campaigns', site.name, 'names', ...missing],
    enabled: missing.length > 0,
    placeholderData: keepPreviousData,
    queryFn: () => Promise.all(missing.map((id) => readName(site.name, id))),
  });
  const others = (named.data ?? []).filter(({ value }) => missing.includes(value));
  return (
    <Chosen
      member={member}
      label={words.targets.filters.campaigns}
      placeholder={words.targets.filters.chooseCampaigns}
      choices={[...listed, ...others]}
      chosen={chosen}
      search={setTyped}
      isBusy={typed !== search || found.isFetching}
      set={(next) => set(next.join(';'))}
    />
  );
}

/** The name of a campaign that a filter names; its number if it no longer exists. */
async function readName(idsite: string, id: string): Promise<Choice> {
  const params = { path: { idsite, idCampaign: Number(id) } };
  try {
    const { parameters } = await dataOf(api.GET('/v1/{idsite}/campaigns/{idCampaign}', { params }));
    return { value: id, label: parameters.name };
  } catch (error) {
    if (isNotFound(error)) return { value: id, label: `#${id}` };
    throw error;
  }
}

interface SendingsProps extends IdsProps {
  /** The names of the sendings, in their order. */
  readonly names: string | null | undefined;
}

/** The sendings of a filter, of those of the last 60 days. */
export function ChosenSendings({ member, ids, set, names }: SendingsProps) {
  const { words, format } = useWords();
  const site = useSite();
  const chosen = partsOf(ids);
  const recent = useQuery({
    queryKey: ['sendings', site.name, 'recent'],
    queryFn: () =>
      dataOf(
        api.GET('/v1/{idsite}/statistics/sendings', {
          params: { path: { idsite: site.name }, query: { nbDays: 60 } },
        }),
      ),
  });
  const listed = (recent.data ?? []).toReversed().map((sending) => ({
    value: String(sending.idSent),
    label: [
      sending.campaignName,
      sending.sendingName,
      ...(sending.startDate ? [format.moment(sending.startDate)] : []),
    ].join(' · '),
  }));
  // An older sending alone has the whole text as its name; several are told apart by number.
  const only = chosen.length === 1 && names ? [{ value: chosen[0]!, label: names }] : [];
  const older = only.filter(({ value }) => !listed.some((one) => one.value === value));
  return (
    <Chosen
      member={member}
      label={words.targets.filters.sendings}
      placeholder={words.targets.filters.chooseSendings}
      choices={[...listed, ...older]}
      chosen={chosen}
      set={(next) => set(next.join(';'))}
    />
  );
}

/** A part of a sentence that is a list of typed codes. */
export function Codes({ member, label, placeholder, codes, set }: CodesProps) {
  const part = usePart(member);
  const chosen = partsOf(codes);
  return (
    <TagsInput
      className="chosen"
      {...part}
      error={part['aria-invalid'] === true}
      aria-label={label}
      placeholder={chosen.length === 0 ? placeholder : undefined}
      splitChars={[';', ',']}
      acceptValueOnBlur
      value={chosen}
      onChange={(next) => set(next.join(';'))}
    />
  );
}
interface CodesProps {
  readonly member: string;
  readonly label: string;
  readonly placeholder?: string;
  readonly codes: string | null | undefined;
  readonly set: (codes: string) => void;
}
