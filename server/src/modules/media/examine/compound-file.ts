// The directory of a compound file (MS-CFB): sectors chained by an allocation table, which is itself found by a table.
import type { FileBytes } from './file-bytes.ts';
import { Refusal } from './reasons.ts';

const endOfChain = 0xfffffffa; // this and above name no sector
const tablesInHeader = 109;
const maxSectors = 4_096;

export async function readCompoundNames(file: FileBytes): Promise<Set<string>> {
  const header = await file.read(0, 512);
  const shift = header.readUInt16LE(30);
  if (shift !== 9 && shift !== 12) throw new Refusal('CORRUPT');
  const sectorBytes = 2 ** shift;
  const sector = (number: number) => file.read((number + 1) * sectorBytes, sectorBytes);
  const tables = await allocationTables(header, sector, sectorBytes);
  const next = async (number: number) => {
    const perTable = sectorBytes / 4;
    const table = tables[Math.floor(number / perTable)];
    if (table === undefined) throw new Refusal('CORRUPT');
    return (await sector(table)).readUInt32LE((number % perTable) * 4);
  };
  const names = new Set<string>();
  let seen = 0;
  for (let at = header.readUInt32LE(48); at < endOfChain; at = await next(at)) {
    seen += 1;
    if (seen > maxSectors) throw new Refusal('CORRUPT');
    for (const name of namesIn(await sector(at))) names.add(name);
  }
  return names;
}

async function allocationTables(
  header: Buffer,
  sector: (number: number) => Promise<Buffer>,
  sectorBytes: number,
): Promise<number[]> {
  const tables = Array.from({ length: tablesInHeader }, (_, i) => header.readUInt32LE(76 + i * 4));
  let more = header.readUInt32LE(68);
  for (let seen = 0; more < endOfChain; seen += 1) {
    if (seen > maxSectors) throw new Refusal('CORRUPT');
    const bytes = await sector(more);
    const perSector = sectorBytes / 4 - 1;
    for (let i = 0; i < perSector; i += 1) tables.push(bytes.readUInt32LE(i * 4));
    more = bytes.readUInt32LE(perSector * 4);
  }
  return tables.filter((number) => number < endOfChain);
}

const entryBytes = 128;

function* namesIn(sector: Buffer): Generator<string> {
  for (let at = 0; at + entryBytes <= sector.length; at += entryBytes) {
    const nameBytes = sector.readUInt16LE(at + 64);
    const isUsed = sector[at + 66] !== 0;
    if (isUsed && nameBytes >= 2 && nameBytes <= 64) yield sector.toString('utf16le', at, at + nameBytes - 2);
  }
}
