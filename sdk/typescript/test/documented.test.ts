import assert from 'node:assert/strict';
import { join, relative } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript';
import { PACKAGE } from './programs.js';

const ENTRIES = ['index.ts', 'client/index.ts', 'testing/index.ts'].map(entry => join(PACKAGE, 'src', entry));
const program = ts.createProgram(ENTRIES, { module: ts.ModuleKind.NodeNext, skipLibCheck: true });

/** Names that an entry exports and nobody explains, with what their users may call. */
function undocumented(entry: string): string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(entry);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new Error(`${entry} exports nothing`);
  const missing: string[] = [];
  const look = (symbol: ts.Symbol, name: string): void => {
    if (symbol.getDocumentationComment(checker).length === 0 && symbol.getJsDocTags(checker).length === 0)
      missing.push(name);
  };
  for (const exported of checker.getExportsOfModule(module)) {
    const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
    look(symbol, symbol.name);
    if (!(symbol.flags & ts.SymbolFlags.Class)) continue;
    for (const member of symbol.members?.values() ?? []) {
      const declaration = member.valueDeclaration;
      if (!declaration || !(member.flags & ts.SymbolFlags.Method)) continue;
      const hidden = ts.getCombinedModifierFlags(declaration) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected);
      if (hidden || member.name.startsWith('#') || member.name.startsWith('__')) continue;
      look(member, `${symbol.name}.${member.name}`);
    }
  }
  return missing;
}

for (const entry of ENTRIES) {
  test(`what ${relative(PACKAGE, entry)} exports says what it is`, () => {
    assert.deepEqual(undocumented(entry), []);
  });
}
