//! The share of each format by ply and by number of men.

use rukh_code::{CodeError, Codec, Coded, FormatCounts, Table, Tables};
use rukh_core::{AnyGame, AnyPosition, Move, Position};
use rukh_engine::{Engine, Limits};

/// Positions that are encoded together.
const BATCH: usize = 1 << 14;
/// Plies beyond this are counted together.
pub const MAX_PLY: usize = 600;
/// Positions of a search that are counted, the deepest of its table.
const NODES: usize = 200;

/// Of the positions of games one in so many is searched.
const SEARCHED: usize = 40;

/// Where a position comes from.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// The games.
    Game,
    /// Lines of searches.
    Line,
    /// The tree of a search.
    Tree,
}

/// Counts formats.
pub struct Tally<'a, R: Coded> {
    codec: &'a Codec<R>,
    tables: Box<dyn Tables<R> + 'a>,
    /// Searches some positions of the games, with so many nodes.
    engine: Option<(Engine, u64)>,
    roots: usize,
    waiting: Vec<Position<R>>,
    plies: Vec<(usize, Origin)>,
    /// Positions of games by ply, up to [`MAX_PLY`].
    pub by_ply: Vec<FormatCounts>,
    /// Positions of games by number of men.
    pub by_men: [FormatCounts; 33],
    /// Positions that are not direct, by the table that has them.
    pub by_table: [u64; 4],
    /// All positions, of games, of lines and of trees.
    pub by_origin: [FormatCounts; 3],
}

impl<'a, R: Coded> Tally<'a, R> {
    /// Nothing counted yet. What has no direct code goes into the tables, as the selector does it. With an engine one position in
    /// forty is searched with so many nodes, and what the search meets is counted, too.
    pub fn new(codec: &'a Codec<R>, tables: Box<dyn Tables<R> + 'a>, engine: Option<(Engine, u64)>) -> Self {
        Self {
            codec,
            tables,
            engine,
            roots: 0,
            waiting: Vec::new(),
            plies: Vec::new(),
            by_ply: vec![FormatCounts::default(); MAX_PLY + 1],
            by_men: [FormatCounts::default(); 33],
            by_table: [0; 4],
            by_origin: [FormatCounts::default(); 3],
        }
    }

    /// All positions of games.
    pub fn all(&self) -> FormatCounts {
        super::report::sum(&self.by_ply)
    }

    /// Counts the positions of a game; after the last one comes [`flush`](Self::flush).
    pub fn game(&mut self, start: &Position<R>, moves: &[Move]) {
        let mut pos = *start;
        for (ply, &mv) in moves.iter().enumerate() {
            pos = pos.after(mv);
            self.take(&pos, ply + 1, Origin::Game);
            self.roots += 1;
            if self.roots.is_multiple_of(SEARCHED)
                && let Some((engine, nodes)) = self.engine.take()
            {
                self.search(&engine, nodes, &pos);
                self.engine = Some((engine, nodes));
            }
        }
    }

    /// Counts the line and a sample of the tree of a search.
    fn search(&mut self, engine: &Engine, nodes: u64, root: &Position<R>) {
        if engine.set_game(AnyGame::from(&AnyPosition::from(*root))).is_err() {
            return;
        }
        let mut line = Vec::new();
        engine.go(Limits::nodes(nodes), |info| line = info.pv.uci().map(|mv| mv.to_string()).collect());
        let mut pos = *root;
        for mv in &line {
            let Ok(mv) = pos.parse_uci(mv) else { break };
            pos = pos.after(mv);
            self.take(&pos, 0, Origin::Line);
        }
        for (pos, _) in engine.hash_rows(NODES).unwrap_or_default().iter().skip(1) {
            if let Some(pos) = pos.of::<Position<R>>() {
                self.take(pos, 0, Origin::Tree);
            }
        }
    }

    fn take(&mut self, pos: &Position<R>, ply: usize, origin: Origin) {
        self.waiting.push(*pos);
        self.plies.push((ply.min(MAX_PLY), origin));
        if self.waiting.len() == BATCH {
            self.flush();
        }
    }

    /// Encodes what is waiting. The selector's rule, with the direct codes computed on all cores.
    pub fn flush(&mut self) {
        let results = self.codec.encode_many(&self.waiting);
        for ((pos, &(ply, origin)), result) in self.waiting.iter().zip(&self.plies).zip(results) {
            let mut one = FormatCounts { positions: 1, ..FormatCounts::default() };
            match result {
                Ok(_) => one.format2 = 1,
                Err(CodeError::DoesNotFit) => {
                    let table = place(self.tables.as_mut(), pos);
                    self.by_table[table as usize] += 1;
                    *if table == Table::Record { &mut one.aux } else { &mut one.format1 } = 1;
                }
                Err(_) => one.aux = 1,
            }
            self.by_origin[origin as usize].add(&one);
            if let Origin::Game = origin {
                self.by_ply[ply].add(&one);
                self.by_men[pos.occupied().count() as usize].add(&one);
            }
        }
        self.waiting.clear();
        self.plies.clear();
    }
}

/// The table that has a position, after it was added where the selector adds it.
fn place<R: Coded>(tables: &mut (dyn Tables<R> + '_), pos: &Position<R>) -> Table {
    let known = Table::ALL.into_iter().find(|&table| tables.find(table, pos).is_some());
    let added = || [Table::Reachability, Table::Record].into_iter().find(|&table| tables.add(table, pos).is_some());
    known.or_else(added).unwrap_or(Table::Record)
}
