// SPDX-License-Identifier: BSD-3-Clause
// Copyright (c) 2026 the isoplane authors

/// LU decomposition of a matrix whose rows are dealt out to the hosts. Each row has a variable that its host
/// schedules at first, and assigns together with the row when that is done: who reads it waits for the row,
/// without a barrier and without asking.
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "example.hh"

using namespace isoplane;

namespace {

using Row = std::vector<double>;
using Matrix = std::vector<Row>;

constexpr std::uint32_t kMostRows = 128;
constexpr std::uint32_t kRowsOfPage = shmem::kDefaultPageWords / (2 * kMostRows);
constexpr std::uint32_t kPages = kMostRows / kRowsOfPage;

shmem::Variable<std::uint32_t> done(std::uint32_t row) {
    return {example::Host::word(kPages + 1, row)};
}

shmem::Block place(std::uint32_t row, std::uint32_t numbers) {
    return {example::Host::word(1 + row / kRowsOfPage, row % kRowsOfPage * 2 * kMostRows), 2 * numbers};
}

/// The same at all hosts; it needs no pivots.
Matrix make_matrix(std::uint32_t rows) {
    std::mt19937 random(rows);
    Matrix matrix(rows, Row(rows));
    for (std::uint32_t i = 0; i < rows; ++i) {
        for (double& number : matrix[i])
            number = static_cast<double>(random() % 1000) / 1000;
        matrix[i][i] += rows;
    }
    return matrix;
}

void publish(example::Host& host, std::uint32_t number, const Row& row) {
    std::vector<std::uint32_t> words;
    for (const double value : row) {
        const auto halves = shmem::to_words(value);
        words.insert(words.end(), halves.begin(), halves.end());
    }
    shmem::Isochron isochron = host.isochron();
    isochron.write(place(number, static_cast<std::uint32_t>(row.size())), words);
    isochron.assign(done(number), 1);
    host.issue(isochron);
}

/// Waits for a row.
Row fetch(example::Host& host, std::uint32_t number, std::uint32_t numbers) {
    shmem::Isochron isochron = host.isochron();
    const auto is_done = isochron.read(done(number));
    host.issue(isochron);
    host.wait(is_done);
    const auto read = isochron.read(place(number, numbers));
    host.issue(isochron);
    host.wait(read);
    Row row;
    for (std::size_t i = 0; i < numbers; ++i)
        row.push_back(shmem::from_words<double>(&read.words()[2 * i]));
    return row;
}

/// Takes a finished row out of another: its factor stays where it makes a zero.
void eliminate(const Row& pivot, std::uint32_t k, Row& row) {
    const double factor = row[k] /= pivot[k];
    for (std::size_t j = k + 1; j < row.size(); ++j)
        row[j] -= factor * pivot[j];
}

void decompose(example::Host& host, Matrix& matrix) {
    const auto rows = static_cast<std::uint32_t>(matrix.size());
    const auto is_mine = [&](std::uint32_t row) { return row % host.nodes() == host.node(); };
    shmem::Isochron isochron = host.isochron();
    for (std::uint32_t i = 0; i < rows; ++i) {
        if (is_mine(i)) isochron.sched(done(i));
    }
    host.issue(isochron);
    host.meet();
    for (std::uint32_t k = 0; k < rows; ++k) {
        if (is_mine(k)) publish(host, k, matrix[k]);
        const Row pivot = is_mine(k) ? matrix[k] : fetch(host, k, rows);
        for (std::uint32_t i = k + 1; i < rows; ++i) {
            if (is_mine(i)) eliminate(pivot, k, matrix[i]);
        }
    }
}

/// That L times U, as the memory has them, is the matrix.
void verify(example::Host& host, const Matrix& matrix) {
    const auto rows = static_cast<std::uint32_t>(matrix.size());
    Matrix lu;
    for (std::uint32_t i = 0; i < rows; ++i)
        lu.push_back(fetch(host, i, rows));
    double worst = 0;
    for (std::uint32_t i = 0; i < rows; ++i) {
        for (std::uint32_t j = 0; j < rows; ++j) {
            double sum = i <= j ? lu[i][j] : 0;
            for (std::uint32_t k = 0; k < i && k <= j; ++k)
                sum += lu[i][k] * lu[k][j];
            worst = std::max(worst, std::abs(sum - matrix[i][j]));
        }
    }
    if (!(worst < 1e-9 * rows))
        throw example::Wrong("L times U misses the matrix by " + std::to_string(worst));
    if (host.node() == 0) std::printf("%u rows on %u hosts; L times U is the matrix\n", rows, host.nodes());
}

}  // namespace

int main(int argc, char** argv) {
    unsigned rows = 48;
    boost::program_options::options_description options("Options");
    example::add_number(options, "rows", rows, kMostRows, "of the matrix");
    return example::run(
        argc, argv,
        {"lu",
         "LU decomposition of a matrix whose rows are dealt out to the hosts; each gets those it needs.",
         kPages + 1, example::everywhere},
        options, [&](example::Host& host) {
            Matrix matrix = make_matrix(rows);
            decompose(host, matrix);
            verify(host, make_matrix(rows));
        });
}
