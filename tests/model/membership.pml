/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright (c) 2026 the isoplane authors
 *
 * How logical time survives a death (doc/membership.md; README.md says what corresponds to what in the code).
 *
 * Hosts 0 to 2 and token manager 3 are in view 1; with -DHOSTS=2 hosts 0 and 1 and token manager 2. Host 0 has issued one
 * isochron, for pulse 1, with parts for all hosts; one of the nodes may die at any time. A message that was sent may arrive at
 * any time later, more than once, out of order, or never: so what is sent is a variable that others may read, and nobody has
 * to.
 *
 * Defects, to see that they would be found: -DNO_LAG executes at the token, -DNO_FREEZE goes on after a promise,
 * -DMINORITY takes one less than a majority for one, -DNO_CUT executes what happens to be here, -DNO_PROPOSER leaves all
 * proposing to the token manager, which nobody sees wrong but progress.
 */
#ifndef HOSTS
#define HOSTS 3
#endif
#define NODES (HOSTS + 1)
#define TM HOSTS
#define NOBODY 255
#define BALLOTS 3 /* 1: of the token manager; 2: of host 1 */

#ifdef NO_LAG
#define LAG 0
#else
#define LAG 2 /* tokens: host, token manager, host */
#endif
#define MOST_WITHOUT (NODES / 2) /* that are no majority */
#ifdef MINORITY
#define MAJORITY MOST_WITHOUT
#else
#define MAJORITY (MOST_WITHOUT + 1)
#endif
#ifdef DUEL /* both propose whenever they like; the isochron has arrived */
#define MAY_PROPOSE true
#elif defined(NO_PROPOSER)
#define MAY_PROPOSE false
#else
#define MAY_PROPOSE (dead == TM)
#endif

byte dead = NOBODY;
bool may_still_die = true;

/* Tokens of view 1: how many each has sent. */
byte sent[NODES];
/* Of host h: whether its part is here. */
bool here[HOSTS];
bool executed[HOSTS];
bool dropped[HOSTS];

/* What has been said about view 2. */
bool prepared[BALLOTS];
byte promised[NODES]; /* the highest ballot */
bool promises[BALLOTS * NODES];
byte held_then[BALLOTS * NODES];
byte accepted_then[BALLOTS * NODES];
bool proposed[BALLOTS];
byte members[BALLOTS]; /* a bit each */
byte cut[BALLOTS];
byte accepted[NODES]; /* under which ballot; 0: none */
bool accepts[BALLOTS * NODES];
bool decided[BALLOTS];
byte adopted[NODES]; /* the ballot under which view 2 was decided; 0: still in view 1 */
bool flushed[HOSTS]; /* holds all that was sent in view 1 by those who are in view 2 */

#define alive(n) (dead != n)
#define in_old(n) (adopted[n] == 0)
#ifdef NO_FREEZE
#define frozen(n) false
#else
#define frozen(n) (promised[n] != 0)
#endif
#define bit(n) (1 << n)
#define is_in(b, n) ((members[b] & bit(n)) != 0)
/* Pulse 1, which ends with token 1 of the manager, is held when that has come, and the part. */
#define has_part(h) (here[h] || h == 0)
#define may_hold(h) (sent[TM] >= 1 && has_part(h))
#define must_hold(h) (sent[h] >= 2)
#define MOST 3 /* tokens: enough for the isochron */

#if HOSTS == 3
#define OF_HOST_2(what) what[2]
#define HOST_2_HAS_FLUSHED(h) HAS_FLUSHED(h, 2)
#define HOST_2_IS_AS_FAR (sent[TM] <= sent[2])
#else
#define OF_HOST_2(what) false
#define HOST_2_HAS_FLUSHED(h) true
#define HOST_2_IS_AS_FAR true
#endif

/* The lag that the decision leaves: what anybody has executed, everybody holds. */
inline execute(h) {
    executed[h] = true;
    assert(!dropped[0] && !dropped[1] && !OF_HOST_2(dropped));
}

inline drop(h) {
    dropped[h] = true;
    assert(!executed[0] && !executed[1] && !OF_HOST_2(executed));
}

/* Any member, as far as the agreement goes. */
inline promise(n, b) {
    atomic {
        prepared[b] && in_old(n) && promised[n] < b ->
            promised[n] = b;
            promises[b * NODES + n] = true;
            accepted_then[b * NODES + n] = accepted[n];
            if
            :: n < HOSTS && may_hold(n) -> held_then[b * NODES + n] = 1
            :: n < HOSTS && !must_hold(n) -> held_then[b * NODES + n] = 0
            :: n == TM -> held_then[b * NODES + n] = 100
            fi
    }
}

inline accept(n, b) {
    atomic {
        proposed[b] && in_old(n) && promised[n] <= b && accepted[n] < b ->
            promised[n] = b;
            accepted[n] = b;
            accepts[b * NODES + n] = true
    }
}

inline adopt(n, b) {
    atomic {
        decided[b] && in_old(n) ->
            adopted[n] = b
    }
}

#define P(b, n) promises[b * NODES + n]
#if NODES == 4
#define COUNT(of, b) (of(b, 0) + of(b, 1) + of(b, 2) + of(b, 3))
#else
#define COUNT(of, b) (of(b, 0) + of(b, 1) + of(b, 2))
#endif
#define promise_count(b) COUNT(P, b)
#define A(b, n) accepts[b * NODES + n]
#define accept_count(b) COUNT(A, b)
#define has_answered(b, n) (P(b, n) || !alive(n))

/* With a majority of promises, those who have promised are in the next view; or what may have been decided is. */
inline propose(b, may) {
    atomic {
        may && !proposed[b] && promise_count(b) >= MAJORITY ->
            byte i = 0;
            byte before = 0;
            do
            :: i < NODES ->
                if
                :: P(b, i) && accepted_then[b * NODES + i] > before -> before = accepted_then[b * NODES + i]
                :: else
                fi;
                i++
            :: else -> break
            od;
            if
            :: before != 0 ->
                members[b] = members[before];
                cut[b] = cut[before]
            :: else ->
                cut[b] = 100;
                i = 0;
                do
                :: i < NODES ->
                    if
                    :: P(b, i) ->
                        members[b] = members[b] | bit(i);
                        if
                        :: held_then[b * NODES + i] < cut[b] -> cut[b] = held_then[b * NODES + i]
                        :: else
                        fi
                    :: else
                    fi;
                    i++
                :: else -> break
                od
            fi;
            proposed[b] = true;
            i = 0;
            before = 0
    }
}

/* There is one view 2. */
inline decide(b, may) {
    atomic {
        may && proposed[b] && !decided[b] && accept_count(b) >= MAJORITY ->
            decided[b] = true;
            assert(!(decided[1] && decided[2]) || (members[1] == members[2] && cut[1] == cut[2]))
    }
}

#define HAS_FLUSHED(h, other) (flushed[other] || !is_in(adopted[h], other))

proctype Host(byte h) {
end:
    {
    do
    /* The part comes, if its sender has it still, or the network; never from one whom this host has given up. */
    :: atomic { h != 0 && !here[h] && !dropped[h] && (in_old(h) || is_in(adopted[h], 0)) -> here[h] = true }
    /* Tokens of view 1: the first unprompted; the second says that pulse 1 is held. */
#ifdef NO_LAG
    :: atomic { in_old(h) && !frozen(h) && sent[h] < MOST && sent[h] <= sent[TM] -> sent[h]++ }
    :: atomic { in_old(h) && !frozen(h) && !executed[h] && may_hold(h) -> execute(h) }
#else
    :: atomic {
           in_old(h) && !frozen(h) && sent[h] < MOST && sent[h] <= sent[TM] && (sent[h] == 0 || has_part(h)) ->
           sent[h]++
       }
    :: atomic { in_old(h) && !frozen(h) && !executed[h] && sent[TM] >= 1 + LAG -> execute(h) }
#endif
    /* The agreement. */
    :: promise(h, 1)
    :: promise(h, 2)
    :: accept(h, 1)
    :: accept(h, 2)
    :: adopt(h, 1)
    :: adopt(h, 2)
    /* In view 2: what is before the cut is executed; of the others, what was sent comes, and then is. */
    :: atomic {
           !in_old(h) && is_in(adopted[h], h) && !is_in(adopted[h], 0) && !executed[h] && !dropped[h] ->
#ifdef NO_CUT
           if
           :: here[h] || h == 0 -> execute(h)
           :: else -> drop(h)
           fi
#else
           if
           :: cut[adopted[h]] >= 1 ->
               assert(here[h] || h == 0);
               execute(h)
           :: else -> drop(h)
           fi
#endif
       }
    :: atomic {
           !in_old(h) && is_in(adopted[h], h) && is_in(adopted[h], 0) && !flushed[h] && (here[h] || h == 0) ->
           flushed[h] = true
       }
    :: atomic {
           flushed[h] && !executed[h] && HAS_FLUSHED(h, 0) && HAS_FLUSHED(h, 1) && HOST_2_HAS_FLUSHED(h) -> execute(h)
       }
    /* Host 1 proposes when the token manager is dead: whatever that has done before. */
    :: atomic { h == 1 && in_old(h) && !prepared[2] && MAY_PROPOSE -> prepared[2] = true }
    :: propose(2, h == 1)
    :: decide(2, h == 1)
    od
    } unless { !alive(h) }
}

proctype Manager() {
end:
    {
    do
    :: atomic {
           in_old(TM) && !frozen(TM) && sent[TM] < MOST && sent[TM] <= sent[0] && sent[TM] <= sent[1] && HOST_2_IS_AS_FAR ->
           sent[TM]++
       }
    :: promise(TM, 1)
    :: promise(TM, 2)
    :: accept(TM, 1)
    :: accept(TM, 2)
    :: adopt(TM, 1)
    :: adopt(TM, 2)
    /* It may be wrong: nobody need have died. */
    :: atomic { in_old(TM) && !prepared[1] -> prepared[1] = true }
    :: propose(1, true)
    :: decide(1, true)
    od
    } unless { !alive(TM) }
}

proctype Death() {
end:
    if
    :: atomic { dead == NOBODY -> dead = 0 }
    :: atomic { dead == NOBODY -> dead = 1 }
    :: atomic { dead == NOBODY -> dead = HOSTS - 1 }
    :: atomic { dead == NOBODY -> dead = TM }
    fi
}

init {
    atomic {
#ifdef DUEL
        here[1] = true;
#if HOSTS == 3
        here[2] = true;
        sent[2] = 1;
#endif
        sent[0] = 1;
        sent[1] = 1;
        sent[TM] = 1;
#endif
        run Host(0);
        run Host(1);
#if HOSTS == 3
        run Host(2);
#endif
        run Manager();
        run Death()
    }
}

/* Where nobody who can move stands still for ever: when host 0 or the token manager has died, the others come to the next
 * view; and who is in it executes the isochron or drops it, unless its issuer is in it and has it still to send. */
#define settled(h) (adopted[h] != 0 && (!is_in(adopted[h], h) || executed[h] || dropped[h] || is_in(adopted[h], 0)))
#if HOSTS == 3
#define all_settled (settled(1) && settled(2))
#else
#define all_settled settled(1)
#endif
ltl progress { [] ((dead == 0 || dead == TM) -> <> all_settled) }
