import { Button, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { Secret } from '../parts/dialogs.tsx';
import type { DomainKey } from './domains-screen.tsx';
import { useRepositories } from './use-repositories.ts';
import { useSettingsWords } from './words.ts';

/** What to publish in the DNS for a domain: its keys, and the records for return paths and for DMARC. */
export function DomainRecords({ domain, keys, remove }: DomainRecordsProps) {
  const texts = useSettingsWords().domains;
  // Return paths are at the service's public address, as the site's own folder is.
  const host = useRepositories().data?.find(({ idRepository }) => idRepository === 0)?.host;
  const [include, setInclude] = useState('');
  const [reports, setReports] = useState('');
  return (
    <>
      {keys.map((key) => (
        <Record
          key={key.id}
          kind={key.dkimAlgorithm === 'rsa-sha256' ? 'DKIM' : 'DKIM Ed25519'}
          text={texts.dkimText}
          name={key.dnsName ?? ''}
          type="TXT"
          value={key.dnsText ?? ''}
        >
          <Button size="xs" mt={8} onClick={() => remove(key)}>
            {texts.remove}
          </Button>
        </Record>
      ))}
      {host !== undefined && (
        <>
          <Record
            kind="SPF"
            text={texts.spfText}
            name={host}
            type="TXT"
            value={include.trim() === '' ? undefined : `v=spf1 include:${include.trim()} -all`}
          >
            <TextInput
              mt={8}
              label={texts.include}
              description={texts.includeText}
              placeholder="spf.example.com"
              spellCheck={false}
              autoCapitalize="none"
              value={include}
              onChange={(event) => setInclude(event.currentTarget.value)}
            />
          </Record>
          <Record kind="MX" text={texts.mxText} name={host} type="MX" value={`10 ${host}.`} />
        </>
      )}
      <Record
        kind="DMARC"
        text={texts.dmarcText}
        name={`_dmarc.${domain}`}
        type="TXT"
        value={`v=DMARC1; p=none${reports.trim() === '' ? '' : `; rua=mailto:${reports.trim()}`}`}
      >
        <TextInput
          mt={8}
          type="email"
          label={texts.reports}
          description={texts.reportsText}
          value={reports}
          onChange={(event) => setReports(event.currentTarget.value)}
        />
      </Record>
    </>
  );
}
interface DomainRecordsProps {
  readonly domain: string;
  readonly keys: readonly DomainKey[];
  readonly remove: (key: DomainKey) => void;
}

function Record({ kind, text, name, type, value, children }: RecordProps) {
  const texts = useSettingsWords().domains;
  return (
    <div className="record">
      <h3>{kind}</h3>
      <div>
        <p className="small text-2">{text}</p>
        <p className="label text-3" style={{ marginTop: 10 }}>
          {texts.recordName(type)}
        </p>
        <Secret secret={name} what={`${kind}, ${texts.recordName(type)}`} />
        {value !== undefined && (
          <>
            <p className="label text-3" style={{ marginTop: 10 }}>
              {texts.recordValue}
            </p>
            <Secret secret={value} what={`${kind}, ${texts.recordValue}`} />
          </>
        )}
        {children}
      </div>
    </div>
  );
}
interface RecordProps {
  readonly kind: string;
  readonly text: string;
  readonly name: string;
  readonly type: 'TXT' | 'MX';
  /** Undefined until what it needs has been typed. */
  readonly value: string | undefined;
  readonly children?: ReactNode;
}
