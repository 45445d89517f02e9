import { Button } from '@mantine/core';
import { IconCircleCheck, IconCircleX, IconClockX } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';
import { Confirm, SecretDialog } from '../parts/dialogs.tsx';
import { SearchedHere } from '../parts/searched-here.tsx';
import { Empty } from '../parts/states.tsx';
import { useMe } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { usePartWords } from '../words/use-part-words.ts';
import { useWords } from '../words/words.tsx';
import { SettingsPage } from './settings-page.tsx';
import { TokenForm } from './token-form.tsx';
import { useSectionSearch } from './use-section-search.ts';
import { useSettingsWords } from './words.ts';

type Token = components['schemas']['Token'];

/** The tokens of programs that call the API. A new one is shown once. */
export function TokensScreen() {
  const texts = useSettingsWords().tokens;
  const { isAdministrator } = useMe();
  const queries = useQueryClient();
  const tokens = useQuery({
    queryKey: ['tokens'],
    enabled: isAdministrator,
    queryFn: () => dataOf(api.GET('/admin/v1/tokens', {})),
  });
  const found = useSectionSearch('tokens');
  const [isCreating, setCreating] = useState(false);
  const [secret, setSecret] = useState<string>();
  const [revoked, setRevoked] = useState<Token>();
  return (
    <SettingsPage section="tokens" query={tokens} add={{ label: texts.add, run: () => setCreating(true) }}>
      {(all) => (
        <>
          <SearchedHere
            {...found}
            // Tokens that still work come first, then the newest.
            all={[...all].sort((a, b) => Number(isOver(a)) - Number(isOver(b)) || b.id - a.id)}
            textOf={(token) => [nameOf(token), token.userName, ...(token.sites ?? [])].join(' ')}
            searchLabel={texts.search}
            table={(shown) => <TokenTable tokens={shown} revoke={setRevoked} />}
            empty={<Empty title={texts.empty} text={texts.emptyText} />}
          />
          {isCreating && <TokenForm close={() => setCreating(false)} created={setSecret} />}
          {secret !== undefined && (
            <SecretDialog title={texts.newToken} secret={secret} close={() => setSecret(undefined)} />
          )}
          {revoked && (
            <Confirm
              title={texts.revokeTitle(nameOf(revoked))}
              text={texts.revokeText}
              action={texts.revoke}
              close={() => setRevoked(undefined)}
              confirm={async () => {
                const path = { idToken: revoked.id };
                await dataOf(api.DELETE('/admin/v1/tokens/{idToken}', { params: { path } }));
                await queries.invalidateQueries({ queryKey: ['tokens'] });
                toast({ text: texts.revoked(nameOf(revoked)) });
              }}
            />
          )}
        </>
      )}
    </SettingsPage>
  );
}

/** What a token is for; without a label, its number. */
const nameOf = ({ label, id }: Token) => (label === '' ? `#${id}` : label);

const isOver = ({ revocationDate, expirationDate }: Token) =>
  revocationDate !== null || (expirationDate !== null && new Date(expirationDate) <= new Date());

function TokenTable({ tokens, revoke }: TokenTableProps) {
  const { words, format } = useWords();
  const { columns, ...texts } = useSettingsWords().tokens;
  const parts = usePartWords();
  return (
    <table className="table">
      <thead>
        <tr>
          <th>{columns.name}</th>
          <th>{columns.rights}</th>
          <th>{columns.used}</th>
          <th>{columns.state}</th>
          <th className="acts">
            <span className="hidden">{parts.actions(texts.title)}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id}>
            <td className="title anywhere">
              <bdi className="strong">{nameOf(token)}</bdi>
              <p className="small text-3">
                <bdi>{token.userName}</bdi>
              </p>
            </td>
            <td className="anywhere">
              <span className="whole">{words.shell.right[token.role]}</span>
              <p className="small text-3">{token.sites?.join(', ') ?? texts.allSites}</p>
            </td>
            <td className="text-2" data-lead={columns.used}>
              {token.lastUseDate ? format.moment(token.lastUseDate) : texts.neverUsed}
            </td>
            <td>
              <TokenState token={token} />
            </td>
            <td className="acts">
              {!isOver(token) && (
                <Button
                  size="xs"
                  aria-label={`${texts.revoke}: ${nameOf(token)}`}
                  onClick={() => revoke(token)}
                >
                  {texts.revoke}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
interface TokenTableProps {
  readonly tokens: readonly Token[];
  readonly revoke: (token: Token) => void;
}

function TokenState({ token }: { readonly token: Token }) {
  const { format } = useWords();
  const texts = useSettingsWords().tokens;
  const { revocationDate, expirationDate } = token;
  const [Glyph, colour, text] =
    revocationDate !== null
      ? ([IconCircleX, '', texts.revokedOn(format.day(revocationDate))] as const)
      : isOver(token)
        ? ([IconClockX, '', texts.expiredOn(format.day(expirationDate!))] as const)
        : ([
            IconCircleCheck,
            'green',
            expirationDate === null ? texts.valid : texts.validUntil(format.day(expirationDate)),
          ] as const);
  return (
    <span className={`state ${colour}`}>
      <Glyph size={16} stroke={1.75} aria-hidden />
      {text}
    </span>
  );
}
